// Bar charts: drawn here, from zero, with their scale and their figures in words and in a table. The drawing is stretched
// to the space there is, so its labels stand beside it as text, in their own size.
import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';

/** A place along a chart: a day or an hour. */
export interface Slot {
  label: string;
  /** Undefined where nothing was counted yet, or not any more. */
  value: number | undefined;
  /** It is still going on, so its figure is not its last. */
  unfinished?: boolean | undefined;
}

export interface Chart {
  id: string;
  title: string;
  /** The figure that all of it comes to, and what that is. */
  headline: string;
  unit: string;
  /** The text in place of a chart without any figure. */
  empty: string;
  /** The heading of the labels. */
  when: string;
  /** The labels of its beginning, its middle and its end. */
  marks: readonly string[];
  /** What it shows, in words, for screen readers. */
  summary: string;
  slots: readonly Slot[];
  number: (value: number) => string;
  /** It counts what failed: drawn in another colour than what went well. */
  failures?: boolean | undefined;
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

/** Whatever there is can be seen, however little it is. */
const heightOf = (value: number, top: number): number => Math.max(1, Math.round((value / top) * 1000) / 10);

/** Bars stand on the foot of the drawing, in the middle of their slots. */
const UPWARDS = 'matrix(1 0 0 -1 .1 100)';

export function barChart(
  { id, title, headline, unit, empty, when, marks, summary, slots, number, failures }: Chart,
  { activity: text }: Pick<Messages, 'activity'>,
): Html {
  const head = html`<h3 class="chart-title" id="${id}">${title}</h3>
<p class="chart-head"><strong>${headline}</strong> <span class="quiet">${unit}</span></p>`;
  const most = Math.max(0, ...slots.map(({ value }) => value ?? 0));
  if (most === 0)
    return html`<section class="chart" aria-labelledby="${id}">
${head}
<p class="chart-empty quiet">${empty}</p>
</section>`;
  const top = topOf(most);
  const labelled = slots.map(({ label, unfinished, ...slot }) => ({
    ...slot,
    label: unfinished ? `${label} ${text.unfinished}` : label,
    style: unfinished && html` class="chart-unfinished"`,
  }));
  const bars = labelled.map(
    ({ label, value, style }, place) =>
      value &&
      html`<path${style} d="M${place} 0V${heightOf(value, top)}h.8V0"><title>${text.pair(label, number(value))}</title></path>`,
  );
  return html`<section class="${failures ? 'chart chart--failures' : 'chart'}" aria-labelledby="${id}">
${head}
<div class="chart-plot">
<p class="chart-scale" aria-hidden="true">${[top, top / 2, 0].map((value) => html`<span>${number(value)}</span>`)}</p>
<svg class="chart-drawing" role="img" aria-label="${summary}" viewBox="0 0 ${slots.length} 100" preserveAspectRatio="none">
<path class="chart-grid" d="M0 0H${slots.length}M0 50H${slots.length}M0 100H${slots.length}"/>
<g class="chart-bars" transform="${UPWARDS}">${bars.map((bar) => bar || '')}</g>
</svg>
<p class="chart-marks" aria-hidden="true">${marks.map((mark) => html`<span>${mark}</span>`)}</p>
</div>
<details class="chart-figures">
<summary>${text.figures} <span class="unseen">${title}</span></summary>
<table>
<caption class="unseen">${title}</caption>
<thead><tr><th scope="col">${when}</th><th scope="col">${title}</th></tr></thead>
<tbody>
${labelled.map(
  ({ label, value }) =>
    html`<tr><th scope="row">${label}</th><td>${value === undefined ? '–' : number(value)}</td></tr>`,
)}</tbody>
</table>
</details>
</section>`;
}
