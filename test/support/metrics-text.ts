// Strict parser for the Prometheus text format.

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface MetricsText {
  /** Metric types by name. */
  families: Map<string, string>;
  samples: Sample[];
  /** Returns the sample with exactly these labels, or 0. */
  value(name: string, labels?: Record<string, string>): number;
  has(name: string): boolean;
}

const SAMPLE_LINE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?(?:[0-9.]+(?:e[+-]?[0-9]+)?|Inf)|N[Aa][Nn])$/;
const LABEL_PAIR = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;

export function parseMetrics(text: string): MetricsText {
  const families = new Map<string, string>();
  const samples: Sample[] = [];
  const keys = new Set<string>();
  for (const line of text.split('\n')) {
    const type = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (type) families.set(type[1] ?? '', type[2] ?? '');
    if (line === '' || line.startsWith('# TYPE ') || /^# HELP \S+ \S/.test(line)) continue;
    const match = SAMPLE_LINE.exec(line);
    if (match === null) throw new Error(`not a sample: ${line}`);
    const [, name = '', labels = '', value] = match;
    const family = families.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '');
    if (!families.has(family)) throw new Error(`sample without a family: ${line}`);
    const sample = { name, labels: readLabels(labels), value: Number(value) };
    const key = buildKey(sample.name, sample.labels);
    if (keys.has(key)) throw new Error(`duplicate sample: ${line}`);
    keys.add(key);
    samples.push(sample);
  }
  return {
    families,
    samples,
    value: (name, labels = {}) =>
      samples.find((sample) => buildKey(sample.name, sample.labels) === buildKey(name, labels))?.value ?? 0,
    has: (name) => samples.some((sample) => sample.name === name),
  };
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL_PAIR.lastIndex = 0;
  for (let end = 0; end < text.length; end = LABEL_PAIR.lastIndex) {
    const match = LABEL_PAIR.exec(text);
    if (match === null) throw new Error(`malformed labels: ${text}`);
    labels[match[1] ?? ''] = match[2] ?? '';
  }
  return labels;
}

const buildKey = (name: string, labels: Record<string, string>): string =>
  JSON.stringify([name, Object.entries(labels).toSorted()]);
