// Owns charts: drawn here, from zero, with their scale and their figures in words and in a table. What is drawn is
// stretched to the room there is, so its labels stand beside it as text, in their own size.
import { type Html, html } from './html.ts';

/** A place along a chart: a day or an hour. */
export interface Slot {
  label: string;
  /** Undefined where nothing was counted yet, or not any more. */
  value: number | undefined;
  /** It is still going on, so its figure is not its last. */
  unfinished?: boolean;
}

interface Frame {
  id: string;
  title: string;
  /** The figure that all of it comes to, and what that is. */
  headline: string;
  unit: string;
  /** What stands below its beginning, its middle and its end. */
  marks: readonly string[];
  /** What it shows, in words, for whoever cannot see it. */
  summary: string;
  words: ChartWords;
  /** It counts what failed: drawn in another colour than what went well. */
  failures?: boolean | undefined;
}

export interface ChartWords {
  empty: string;
  /** Opens the table; the table's first heading. */
  figures: string;
  when: string;
  unfinished: string;
  unknown: string;
  number: (value: number) => string;
  pair: (label: string, value: string) => string;
}

const STEPS = [2, 4, 6, 8, 10];

/** The end of a scale that begins at zero: a round number that a half of it is, too. */
export function topOf(most: number): number {
  if (most <= 0) return 2;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = STEPS.find((one) => one * power >= most) ?? 10;
  // Powers below one are not exact in binary.
  return Number((step * power).toPrecision(3));
}

export function barChart(chart: Frame & { slots: readonly Slot[] }): Html {
  const { slots, words } = chart;
  const most = Math.max(0, ...slots.map(({ value }) => value ?? 0));
  const top = topOf(most);
  const bars = slots.map(({ label, value, unfinished }, place) => {
    if (!value) return '';
    const mark = unfinished && html` class="chart-unfinished"`;
    return html`<path${mark} d="M${place} 0V${heightOf(value, top)}h.8V0"><title>${words.pair(said(label, unfinished, words), words.number(value))}</title></path>`;
  });
  return framed(
    chart,
    most === 0,
    top,
    slots.length,
    html`<g class="chart-bars" transform="${UPWARDS}">${bars}</g>`,
    {
      headings: [chart.title],
      rows: slots.map(({ label, value, unfinished }) => ({
        label: said(label, unfinished, words),
        values: [value],
      })),
    },
  );
}

/** A line of a chart; one of several is told from the others by how it is drawn, not by its colour. */
interface Line {
  name: string;
  values: readonly (number | undefined)[];
  kind: 'plain' | 'dashed';
}

/** Lines that go in steps: each value stands for the whole of its slot. */
export function stepChart(
  chart: Frame & { slots: readonly Omit<Slot, 'value'>[]; lines: readonly Line[] },
): Html {
  const { slots, lines, words } = chart;
  const most = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const top = topOf(most);
  const drawn = lines.map(
    ({ kind, values }) => html`<path class="chart-line chart-line--${kind}" d="${steps(values, top)}"/>`,
  );
  const key = html`<ul class="chart-key">${lines.map(
    ({ kind, name }) =>
      html`<li><svg viewBox="0 0 28 8" aria-hidden="true"><path class="chart-line chart-line--${kind}" d="M0 4H28"/></svg> ${name}</li>`,
  )}</ul>
`;
  return framed(chart, most === 0, top, slots.length, html`${drawn}`, {
    headings: lines.map(({ name }) => name),
    rows: slots.map(({ label, unfinished }, place) => ({
      label: said(label, unfinished, words),
      values: lines.map(({ values }) => values[place]),
    })),
    key,
  });
}

const said = (label: string, unfinished: boolean | undefined, words: ChartWords): string =>
  unfinished ? `${label} ${words.unfinished}` : label;

const tenths = (value: number): number => Math.round(value * 10) / 10;

/** What is there at all is seen, however little it is. */
const heightOf = (value: number, top: number): number => Math.max(1, tenths((value / top) * 100));

/** Bars stand on the foot of the drawing, in the middle of their slots. */
const UPWARDS = 'matrix(1 0 0 -1 .1 100)';

function steps(values: readonly (number | undefined)[], top: number): string {
  let drawing = '';
  values.forEach((value, place) => {
    if (value === undefined) return;
    const y = tenths(100 - (value / top) * 100);
    drawing += values[place - 1] === undefined ? `M${place} ${y}` : `V${y}`;
    drawing += `H${place + 1}`;
  });
  return drawing;
}

function framed(
  { id, title, headline, unit, marks, summary, words, failures }: Frame,
  empty: boolean,
  top: number,
  width: number,
  drawn: Html,
  table: {
    headings: readonly string[];
    rows: readonly { label: string; values: readonly (number | undefined)[] }[];
    key?: Html;
  },
): Html {
  const head = html`<h3 class="chart-title" id="${id}">${title}</h3>
<p class="chart-head"><strong>${headline}</strong> <span class="quiet">${unit}</span></p>`;
  if (empty)
    return html`<section class="chart" aria-labelledby="${id}">
${head}
<p class="chart-empty quiet">${words.empty}</p>
</section>`;
  return html`<section class="${failures ? 'chart chart--failures' : 'chart'}" aria-labelledby="${id}">
${head}
<div class="chart-plot">
<p class="chart-scale" aria-hidden="true">${[top, top / 2, 0].map((value) => html`<span>${words.number(value)}</span>`)}</p>
<svg class="chart-drawing" role="img" aria-label="${summary}" viewBox="0 0 ${width} 100" preserveAspectRatio="none">
<path class="chart-grid" d="M0 0H${width}M0 50H${width}M0 100H${width}"/>
${drawn}
</svg>
<p class="chart-marks" aria-hidden="true">${marks.map((mark) => html`<span>${mark}</span>`)}</p>
</div>
${table.key}<details class="chart-figures">
<summary>${words.figures} <span class="unseen">${title}</span></summary>
<table>
<caption class="unseen">${title}</caption>
<thead><tr><th scope="col">${words.when}</th>${table.headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>
${table.rows.map(
  ({ label, values }) =>
    html`<tr><th scope="row">${label}</th>${values.map(
      (value) => html`<td>${value === undefined ? words.unknown : words.number(value)}</td>`,
    )}</tr>`,
)}</tbody>
</table>
</details>
</section>`;
}
