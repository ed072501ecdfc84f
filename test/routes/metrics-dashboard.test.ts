// docs/grafana-dashboard.json and docs/monitoring.md: they speak of what /metrics really says, and of all of it.
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { startPruning } from '../../src/background/pruning.ts';
import { createLogger } from '../../src/process/logger.ts';
import { obtainTokens, signedInBrowser, userinfo } from '../support/flow.ts';
import { httpRequest } from '../support/http-request.ts';
import { readMetrics } from '../support/metrics-text.ts';
import { freePort, startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const read = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');

interface Panel {
  id: number;
  type: string;
  title: string;
  datasource?: { type: string; uid: string };
  gridPos: { h: number; w: number; x: number; y: number };
  targets?: { expr: string; datasource: { uid: string }; refId: string }[];
}
interface Dashboard {
  title: string;
  uid: string;
  schemaVersion: number;
  panels: Panel[];
  templating: { list: { name: string; type: string; query: string | { query: string } }[] };
}

const dashboard = JSON.parse(read('grafana-dashboard.json')) as Dashboard;
const monitoring = read('monitoring.md');
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const queries = dashboard.templating.list.flatMap(({ query }) =>
  typeof query === 'object' ? [query.query] : [],
);
const alerts = [...monitoring.matchAll(/^ +expr: (.+)$/gm)].map(([, expr = '']) => expr);

/** Everything that can stand in an expression: names of samples, and the labels that each has. */
const labelsOf = new Map<string, Set<string>>();
const port = await freePort();
const service = await startTestService({ METRICS_PORT: String(port) });
const application = await service.createApplication();
const browser = await signedInBrowser(service, await service.createUser());
const { accessToken } = await obtainTokens(service, application, browser);
await userinfo(service, accessToken);
const pruning = startPruning(service.parts, createLogger('silent'));
const metrics = await until('every metric to have a figure', async () => {
  const now = readMetrics((await httpRequest(port, '/metrics')).text);
  return now.has('sesame_grants_live') && now;
});
await pruning.stop();
for (const { name, labels } of metrics.samples) {
  const known = labelsOf.get(name) ?? new Set(['job', 'instance']); // which Prometheus adds
  for (const label of Object.keys(labels)) known.add(label);
  labelsOf.set(name, known);
}
afterAll(() => service.close());

/** The metrics that an expression names, with the labels that it asks of each. */
function metricsIn(expression: string): { name: string; labels: string[] }[] {
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */));
  return [...expression.matchAll(/\b((?:sesame|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', selector = '']) => ({
      name,
      labels: [...grouped, ...[...selector.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label)],
    }),
  );
}

function expectReal(expression: string): void {
  const used = metricsIn(expression);
  expect(used.length, expression).toBeGreaterThan(0);
  for (const { name, labels } of used) {
    expect([...labelsOf.keys()], expression).toContain(name);
    for (const label of labels) expect([...(labelsOf.get(name) ?? [])], expression).toContain(label);
    // Of what only grows the growth is looked at; of a gauge the value.
    const family = metrics.families.get(name) ?? 'histogram'; // of _sum, _count and _bucket
    const rated = new RegExp(`(?:rate|increase)\\(${name}\\b`).test(expression);
    expect([name, rated], expression).toEqual([name, family !== 'gauge']);
  }
  expect(expression.split('(').length, expression).toBe(expression.split(')').length);
}

describe('the dashboard', () => {
  test('has panels whose expressions are about metrics that there are', () => {
    expect(expressions.length).toBeGreaterThanOrEqual(20);
    expect(dashboard.uid).toBe('sesame');
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(36);
    for (const expression of expressions) expectReal(expression);
  });

  test('its variables come from metrics that are there', () => {
    expect(queries).toHaveLength(2);
    for (const query of queries) {
      const [, name = '', label = ''] = /^label_values\((\w+)(?:\{[^}]*\})?, (\w+)\)$/.exec(query) ?? [];
      expect([...(labelsOf.get(name) ?? [])], query).toContain(label);
    }
  });
});

describe('docs/monitoring.md', () => {
  test('its table has every metric, with its labels, and no other', () => {
    const rows = [...monitoring.matchAll(/^\| `(sesame_\w+)` \| (.*?) ?\|/gm)];
    expect(rows.map(([, name]) => name).toSorted()).toEqual(
      [...metrics.families.keys()].filter((name) => name.startsWith('sesame_')).toSorted(),
    );
    for (const [, name = '', list = ''] of rows) {
      const sample = labelsOf.get(name) ?? labelsOf.get(`${name}_count`);
      const labels = [...(sample ?? [])].filter((label) => label !== 'job' && label !== 'instance');
      expect([...list.matchAll(/`(\w+)`/g)].map(([, label]) => label).toSorted(), name).toEqual(
        labels.toSorted(),
      );
    }
  });

  test('it suggests alerts on metrics that there are', () => {
    expect(alerts.length).toBeGreaterThanOrEqual(8);
    for (const alert of alerts.filter((expr) => !expr.startsWith('up{'))) expectReal(alert);
  });
});
