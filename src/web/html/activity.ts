// Charts of event counts and response times by day or hour, with navigation between date ranges.
import type { Messages } from '../../i18n/index.ts';
import { barChart, type Chart, type ChartSlot, sparkline } from './chart.ts';
import { type Html, html } from './html.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A range of several days, or the hours of one day. Each day is a date at midnight UTC. */
export type ActivityRange = {
  unit: 'day' | 'hour';
  first: Date;
  last: Date;
  now: Date;
  /** The first day with recorded counts. */
  firstCounted: Date;
};

export interface DailyCount {
  day: Date;
  total: number;
  hours: number[];
}

export const DAYS_PER_PAGE = 28;

const isoDay = (day: Date): string => day.toISOString().slice(0, 10);
const addDays = (day: Date, days: number): Date => new Date(day.getTime() + days * DAY);
const isSame = (a: Date, b: Date): boolean => a.getTime() === b.getTime();
const todayOf = ({ now }: ActivityRange): Date => new Date(Math.floor(now.getTime() / DAY) * DAY);

const daysOf = ({ first, last }: ActivityRange): Date[] =>
  Array.from({ length: Math.round((last.getTime() - first.getTime()) / DAY) + 1 }, (_, index) =>
    addDays(first, index),
  );

/** Returns the chart's slots. `counted` is false for future slots and for slots from before counting began. */
function slotsOf(
  range: ActivityRange,
  { activity }: Messages,
): (Omit<ChartSlot, 'value'> & { day: Date; hour: number; counted: boolean })[] {
  const today = todayOf(range);
  if (range.unit === 'day')
    return daysOf(range).map((day) => ({
      day,
      hour: 0,
      label: activity.weekday(day),
      counted: day >= range.firstCounted,
      unfinished: isSame(day, today),
    }));
  const now = isSame(range.first, today) ? range.now.getUTCHours() : 24;
  return Array.from({ length: 24 }, (_, hour) => ({
    day: range.first,
    hour,
    label: activity.hour(hour),
    counted: range.first >= range.firstCounted && hour <= now,
    unfinished: hour === now,
  }));
}

const axisLabelsOf = (range: ActivityRange, { activity }: Messages): string[] => {
  if (range.unit === 'hour') return [0, 12, 23].map((hour) => activity.hour(hour));
  const days = daysOf(range);
  return [days[0], days[Math.floor((days.length - 1) / 2)], days.at(-1)].flatMap((day) =>
    day === undefined ? [] : [activity.shortDay(day)],
  );
};

function describeRange(range: ActivityRange, { activity, date }: Messages): string {
  const first = date(range.first);
  if (range.unit === 'hour') return activity.onDay(first);
  return activity.fromTo(first, date(range.last));
}

type ChartHeading = Pick<Chart, 'id' | 'title' | 'failures'>;

type CountHeading = ChartHeading & { days: readonly DailyCount[] };

function summarizeCounts(range: ActivityRange, messages: Messages, { title, days }: CountHeading) {
  const { activity } = messages;
  const rows = new Map(days.map((row) => [row.day.getTime(), row]));
  const slots = slotsOf(range, messages).map(({ day, hour, counted, ...slot }) => {
    const row = rows.get(day.getTime());
    const count = range.unit === 'day' ? row?.total : row?.hours[hour];
    return { ...slot, value: count || (counted ? 0 : undefined) };
  });
  const total = activity.number(slots.reduce((sum, { value }) => sum + (value ?? 0), 0));
  const [peak] = slots.toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0));
  const values = { total, most: activity.number(peak?.value ?? 0), mostAt: peak?.label ?? '' };
  const summary = activity.chart({ title, when: describeRange(range, messages), ...values });
  return { slots, headline: total, summary };
}

export function countChart(range: ActivityRange, messages: Messages, counts: CountHeading): Html {
  const { activity } = messages;
  const { days: _, ...heading } = counts;
  return chartOf(range, messages, {
    ...heading,
    ...summarizeCounts(range, messages, counts),
    unit: activity.inAll,
    empty: activity.empty,
  });
}

/** Wraps the charts of a range, or shows a note if the range ends before counting began. */
export const chartGrid = (range: ActivityRange, { activity }: Messages, charts: Html): Html =>
  range.last < range.firstCounted
    ? html`<p class="empty quiet">${activity.notCountedYet}</p>`
    : html`<div class="charts">
${charts}
</div>`;

/** A tile with a range's total and a sparkline. */
export function countTile(range: ActivityRange, messages: Messages, counts: CountHeading): Html {
  const { id, title, failures } = counts;
  const { slots, headline, summary } = summarizeCounts(range, messages, counts);
  const values = slots.map(({ value }) => value ?? 0);
  return html`<li class="${failures ? 'tile tile--failures' : 'tile'}" id="${id}"><span class="tile-label">${title}</span> <strong class="tile-number">${headline}</strong> ${sparkline(values, summary)}</li>
`;
}

/**
 * A chart of daily snapshots, such as the number of live grants. After a snapshot of zero, days without a snapshot are
 * also shown as zero.
 */
export function snapshotChart(
  range: ActivityRange,
  messages: Messages,
  { days, ...heading }: ChartHeading & { days: readonly DailyCount[] },
): Html {
  const { activity } = messages;
  const rows = new Map(days.map(({ day, total }) => [day.getTime(), total]));
  let previous: number | undefined;
  const slots = slotsOf(range, messages).map(({ day, hour: _, counted: __, ...slot }) => {
    previous = rows.get(day.getTime()) ?? (previous === 0 ? 0 : undefined);
    return { ...slot, value: previous };
  });
  const [latest] = days.toSorted((a, b) => b.day.getTime() - a.day.getTime());
  const headline = latest === undefined ? activity.notCounted : activity.number(latest.total);
  return chartOf(range, messages, {
    ...heading,
    headline,
    unit: latest === undefined ? '' : activity.asOf(activity.weekday(latest.day)),
    summary: activity.figure({
      title: heading.title,
      when: describeRange(range, messages),
      latest: headline,
    }),
    empty: activity.noFigure,
    slots,
  });
}

/** A chart of the 95th percentile of response times per day, with the median and 95th percentile of the whole range. */
export function latencyChart(
  range: ActivityRange,
  messages: Messages,
  {
    median,
    p95,
    days,
    ...heading
  }: ChartHeading & {
    median: number | undefined;
    p95: number | undefined;
    days: readonly { day: Date; p95: number | undefined }[];
  },
): Html {
  const { activity } = messages;
  const rows = new Map(days.map((row) => [row.day.getTime(), row.p95]));
  const [medianText, p95Text] = [median, p95].map((milliseconds) =>
    milliseconds === undefined ? '–' : activity.milliseconds(milliseconds),
  ) as [string, string];
  const values = { when: describeRange(range, messages), median: medianText, p95: p95Text };
  return chartOf(range, messages, {
    ...heading,
    headline: medianText,
    unit: median === undefined ? '' : activity.mostWithin(p95Text),
    summary: activity.times({ title: heading.title, ...values }),
    empty: activity.noAnswer,
    number: activity.precise,
    slots: slotsOf(range, messages).map(({ day, label, unfinished }) => ({
      label,
      unfinished,
      value: rows.get(day.getTime()),
    })),
  });
}

const chartOf = (
  range: ActivityRange,
  messages: Messages,
  chart: Omit<Chart, 'marks' | 'when' | 'number'> & Partial<Pick<Chart, 'number'>>,
): Html => {
  const { activity } = messages;
  const when = range.unit === 'day' ? activity.day : activity.hourHeading;
  return barChart(
    { number: activity.number, ...chart, when, marks: axisLabelsOf(range, messages) },
    messages,
  );
};

/**
 * A heading for the range, with links to earlier and later ranges.
 * @param here the page's path
 * @param hours whether the page can also show a single day by hour
 */
export function rangeNavigation(
  range: ActivityRange,
  messages: Messages,
  { here, hours }: { here: string; hours: boolean },
): Html {
  const { activity } = messages;
  const today = todayOf(range);
  const link = (parameter: string, text: string) =>
    html`<a class="touch-target" href="${here}${parameter}">${text}</a>
`;
  const isLatest = isSame(range.last, today);
  const step = range.unit === 'day' ? DAYS_PER_PAGE : 1;
  const name = range.unit === 'day' ? 'until' : 'day';
  const labels = activity.ways[range.unit];
  const next = new Date(Math.min(addDays(range.last, step).getTime(), today.getTime()));
  return html`<div class="date-range">
<h2 class="date-range-title">${describeRange(range, messages)} (UTC)</h2>
<nav class="date-range-links" aria-label="${activity.otherTimes}">
${range.first > range.firstCounted && link(`?${name}=${isoDay(addDays(range.last, -step))}`, labels.earlier)}
${!isLatest && link(`?${name}=${isoDay(next)}`, labels.later)}
${(range.unit === 'hour' || !isLatest) && link('', activity.latestDays)}
</nav>
${
  hours &&
  html`<form class="date-range-form" method="get" action="${here}">
<label class="field-label" for="day">${activity.chooseDay}</label>
<input class="field-input" type="date" id="day" name="day" value="${isoDay(range.last)}" min="${isoDay(range.firstCounted)}" max="${isoDay(today)}">
<button class="button button--secondary" type="submit"><span>${activity.show}</span></button>
</form>`
}
</div>`;
}
