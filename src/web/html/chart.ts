// SVG bar charts with a scale, a text summary and a table of values.
// The labels are HTML because the SVG is stretched.
import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';

export interface ChartSlot {
  label: string;
  value: number | undefined;
  unfinished?: boolean | undefined;
}

export interface Chart {
  id: string;
  title: string;
  headline: string;
  unit: string;
  caption?: string | undefined;
  empty: string;
  when: string;
  marks: readonly string[];
  summary: string;
  slots: readonly ChartSlot[];
  number: (value: number) => string;
  failures?: boolean | undefined;
}

const STEPS = [2, 4, 6, 8, 10];

/** Returns the top value of the scale. The result and half of it are round numbers. */
export function scaleMaximum(maxValue: number): number {
  if (maxValue <= 0) return 2;
  const power = 10 ** Math.floor(Math.log10(maxValue));
  const step = STEPS.find((candidate) => candidate * power >= maxValue) ?? 10;
  // Round because negative powers of ten aren't exact in binary.
  return Number((step * power).toPrecision(3));
}

/** Returns a percentage, at least 1 so that small values stay visible. */
const heightPercent = (value: number, top: number): number =>
  Math.max(1, Math.round((value / top) * 1000) / 10);

/** Flips the y axis and centers each bar in its slot. */
const BAR_TRANSFORM = 'matrix(1 0 0 -1 .1 100)';

export function barChart(
  { id, title, headline, unit, caption, empty, when, marks, summary, slots, number, failures }: Chart,
  { activity: text }: Pick<Messages, 'activity'>,
): Html {
  const head = html`<h3 class="chart-title" id="${id}">${title}</h3>
<p class="chart-head"><strong>${headline}</strong> <span class="quiet">${unit}</span></p>`;
  const maxValue = Math.max(0, ...slots.map(({ value }) => value ?? 0));
  if (maxValue === 0)
    return html`<section class="chart" aria-labelledby="${id}">
${head}
<p class="chart-empty quiet">${empty}</p>
</section>`;
  const top = scaleMaximum(maxValue);
  const labeledSlots = slots.map(({ label, unfinished, ...slot }) => ({
    ...slot,
    label: unfinished ? `${label} ${text.unfinished}` : label,
    style: unfinished && html` class="chart-unfinished"`,
  }));
  const bars = labeledSlots.map(
    ({ label, value, style }, index) =>
      value &&
      html`<path${style} d="M${index} 0V${heightPercent(value, top)}h.8V0"><title>${text.pair(label, number(value))}</title></path>`,
  );
  return html`<section class="${failures ? 'chart chart--failures' : 'chart'}" aria-labelledby="${id}">
${head}
${caption && html`<p class="chart-caption quiet">${caption}</p>`}
<div class="chart-plot">
<p class="chart-scale" aria-hidden="true">${[top, top / 2, 0].map((value) => html`<span>${number(value)}</span>`)}</p>
<svg class="chart-drawing" role="img" aria-label="${summary}" viewBox="0 0 ${slots.length} 100" preserveAspectRatio="none">
<path class="chart-grid" d="M0 0H${slots.length}M0 50H${slots.length}M0 100H${slots.length}"/>
<g class="chart-bars" transform="${BAR_TRANSFORM}">${bars.map((bar) => bar || '')}</g>
</svg>
<p class="chart-marks" aria-hidden="true">${marks.map((mark) => html`<span>${mark}</span>`)}</p>
</div>
<details class="chart-figures">
<summary>${text.figures} <span class="visually-hidden">${title}</span></summary>
<table>
<caption class="visually-hidden">${title}</caption>
<thead><tr><th scope="col">${when}</th><th scope="col">${caption ?? title}</th></tr></thead>
<tbody>
${labeledSlots.map(
  ({ label, value }) =>
    html`<tr><th scope="row">${label}</th><td>${value === undefined ? '–' : number(value)}</td></tr>`,
)}</tbody>
</table>
</details>
</section>`;
}

export function sparkline(values: readonly number[], summary: string): Html {
  const maxValue = Math.max(1, ...values);
  const bars = values.map(
    (value, index) =>
      html`<path d="M${index} 0V${value === 0 ? 2 : Math.max(6, heightPercent(value, maxValue))}h.7V0"/>`,
  );
  return html`<svg class="sparkline" role="img" aria-label="${summary}" viewBox="0 0 ${values.length} 100" preserveAspectRatio="none"><g transform="${BAR_TRANSFORM}">${bars}</g></svg>`;
}
