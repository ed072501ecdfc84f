// Charts of event counts and response times by day or hour, with navigation between date ranges.
import type { Messages } from '../../i18n/index.ts';
import { barChart, type Chart, type ChartSlot, sparkline } from './chart.ts';
import { type Html, html } from './html.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A range of days, or the hours of one day. Dates are at midnight UTC. */
export type ActivityRange = {
  unit: 'day' | 'hour';
  first: Date;
  last: Date;
  now: Date;
  firstCounted: Date;
};

export interface DailyCount {
  day: Date;
  total: number;
  hours: number[];
}

export const RANGE_DAYS = [7, 28, 90] as const;
export const DEFAULT_DAYS = 28;

const isoDay = (day: Date): string => day.toISOString().slice(0, 10);
const addDays = (day: Date, days: number): Date => new Date(day.getTime() + days * DAY);
const isSameTime = (a: Date, b: Date): boolean => a.getTime() === b.getTime();
const startOfToday = ({ now }: ActivityRange): Date => new Date(Math.floor(now.getTime() / DAY) * DAY);

const countDays = ({ first, last }: ActivityRange): number =>
  Math.round((last.getTime() - first.getTime()) / DAY) + 1;

const daysOf = (range: ActivityRange): Date[] =>
  Array.from({ length: countDays(range) }, (_, index) => addDays(range.first, index));

/** Returns undefined if the preceding range includes days before counting began. */
export function previousRange(range: ActivityRange): Pick<ActivityRange, 'first' | 'last'> | undefined {
  const first = addDays(range.first, -countDays(range));
  return first < range.firstCounted ? undefined : { first, last: addDays(range.first, -1) };
}

/** If the range includes today, the last day of the preceding range is counted up to the same hour. */
export function sumPrevious(range: ActivityRange, days: readonly DailyCount[]): number {
  const isUnfinished = isSameTime(range.last, startOfToday(range));
  const lastDay = addDays(range.first, -1);
  return days
    .map(({ day, total, hours }) =>
      isUnfinished && isSameTime(day, lastDay)
        ? hours.slice(0, range.now.getUTCHours() + 1).reduce((sum, count) => sum + count, 0)
        : total,
    )
    .reduce((sum, count) => sum + count, 0);
}

/** `counted` is false for the future and for the time before counting began. */
function chartSlotsOf(
  range: ActivityRange,
  { activity }: Messages,
): (Omit<ChartSlot, 'value'> & { day: Date; hour: number; counted: boolean })[] {
  const today = startOfToday(range);
  if (range.unit === 'day')
    return daysOf(range).map((day) => ({
      day,
      hour: 0,
      label: activity.weekday(day),
      counted: day >= range.firstCounted,
      unfinished: isSameTime(day, today),
    }));
  const now = isSameTime(range.first, today) ? range.now.getUTCHours() : 24;
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

type CountHeading = ChartHeading & {
  days: readonly DailyCount[];
  previousTotal?: number | undefined;
};

function summarizeCounts(range: ActivityRange, messages: Messages, { title, days }: CountHeading) {
  const { activity } = messages;
  const rows = new Map(days.map((row) => [row.day.getTime(), row]));
  const slots = chartSlotsOf(range, messages).map(({ day, hour, counted, ...slot }) => {
    const row = rows.get(day.getTime());
    const count = range.unit === 'day' ? row?.total : row?.hours[hour];
    return { ...slot, value: count || (counted ? 0 : undefined) };
  });
  const sum = slots.reduce((total, { value }) => total + (value ?? 0), 0);
  const total = activity.number(sum);
  const [peak] = slots.toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0));
  const values = { total, most: activity.number(peak?.value ?? 0), mostAt: peak?.label ?? '' };
  const summary = activity.chart({ title, when: describeRange(range, messages), ...values });
  return { slots, sum, headline: total, summary };
}

function describeChange(
  range: ActivityRange,
  total: number,
  previous: number | undefined,
  { activity }: Messages,
): string | undefined {
  if (!previous) return undefined;
  const percent = Math.round((total / previous - 1) * 100);
  const sign = percent < 0 ? '\u2212' : '+';
  return activity.compared(
    percent === 0 ? undefined : activity.percent(`${sign}${activity.number(Math.abs(percent))}`),
    countDays(range),
  );
}

export function countChart(range: ActivityRange, messages: Messages, counts: CountHeading): Html {
  const { activity } = messages;
  const { days: _, previousTotal, ...heading } = counts;
  const { sum, ...summarized } = summarizeCounts(range, messages, counts);
  const change = describeChange(range, sum, previousTotal, messages);
  return chartOf(range, messages, {
    ...heading,
    ...summarized,
    unit: change === undefined ? activity.inAll : `${activity.inAll}, ${change}`,
    empty: activity.empty,
  });
}

export const chartGrid = (range: ActivityRange, { activity }: Messages, charts: Html): Html =>
  range.last < range.firstCounted
    ? html`<p class="empty quiet">${activity.notCountedYet}</p>`
    : html`<div class="charts">
${charts}
</div>`;

export function countTile(
  range: ActivityRange,
  messages: Messages,
  counts: CountHeading & { href: string },
): Html {
  const { id, title, failures, href } = counts;
  const { slots, headline, summary } = summarizeCounts(range, messages, counts);
  const values = slots.map(({ value }) => value ?? 0);
  return html`<li class="${failures ? 'tile tile--failures' : 'tile'}" id="${id}"><a class="tile-label" href="${href}">${title}</a> <strong class="tile-number">${headline}</strong> ${sparkline(values, summary)}</li>
`;
}

/** A chart of daily snapshots, such as live grants. After a zero, days without a snapshot are also zero. */
export function snapshotChart(
  range: ActivityRange,
  messages: Messages,
  { days, ...heading }: ChartHeading & { days: readonly DailyCount[] },
): Html {
  const { activity } = messages;
  const rows = new Map(days.map(({ day, total }) => [day.getTime(), total]));
  let previous: number | undefined;
  const slots = chartSlotsOf(range, messages).map(({ day, hour: _, counted: __, ...slot }) => {
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
    caption: activity.barsOfTimes,
    empty: activity.noAnswer,
    number: activity.precise,
    slots: chartSlotsOf(range, messages).map(({ day, label, unfinished }) => ({
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

export function rangeNavigation(
  range: ActivityRange,
  messages: Messages,
  { here, hours }: { here: string; hours: boolean },
): Html {
  const { activity } = messages;
  const today = startOfToday(range);
  const link = (parameters: Record<string, string>, text: string, isCurrent = false) =>
    html`<a class="touch-target" href="${here}?${String(new URLSearchParams(parameters))}"${isCurrent && html` aria-current="true"`}>${text}</a>
`;
  const isLatest = isSameTime(range.last, today);
  const days = countDays(range);
  const length = range.unit === 'day' && days !== DEFAULT_DAYS ? { days: String(days) } : {};
  const name = range.unit === 'day' ? 'until' : 'day';
  const next = new Date(Math.min(addDays(range.last, days).getTime(), today.getTime()));
  return html`<div class="date-range">
<h2 class="date-range-title">${describeRange(range, messages)} (UTC)</h2>
<nav class="date-range-links" aria-label="${activity.otherTimes}">
${RANGE_DAYS.map((count) => link({ days: String(count) }, activity.latestDays(count), isLatest && range.unit === 'day' && count === days))}
${range.first > range.firstCounted && link({ ...length, [name]: isoDay(addDays(range.last, -days)) }, activity.earlier(days))}
${!isLatest && link({ ...length, [name]: isoDay(next) }, activity.later(days))}
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
