// Counts by day or by hour: which days are shown and the ways to others, and each count as a chart.
import type { Messages } from '../../i18n/index.ts';
import { barChart, type Chart, type Slot } from './chart.ts';
import { type Html, html } from './html.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** What is shown: days, each named by its beginning (UTC), or the hours of one. */
export type Span = {
  by: 'day' | 'hour';
  first: Date;
  last: Date;
  now: Date;
  /** The first day of which there are counts. */
  since: Date;
};

export interface CountedDay {
  day: Date;
  total: number;
  hours: number[];
}

export const DAYS_SHOWN = 28;

const isoDay = (day: Date): string => day.toISOString().slice(0, 10);
const plus = (day: Date, days: number): Date => new Date(day.getTime() + days * DAY);
const isSame = (one: Date, other: Date): boolean => one.getTime() === other.getTime();
const todayOf = ({ now }: Span): Date => new Date(Math.floor(now.getTime() / DAY) * DAY);

const daysOf = ({ first, last }: Span): Date[] =>
  Array.from({ length: Math.round((last.getTime() - first.getTime()) / DAY) + 1 }, (_, place) =>
    plus(first, place),
  );

/** The places along a chart, and whether anything can have been counted there. */
function placesOf(
  span: Span,
  { activity }: Messages,
): (Omit<Slot, 'value'> & { day: Date; hour: number; counted: boolean })[] {
  const today = todayOf(span);
  if (span.by === 'day')
    return daysOf(span).map((day) => ({
      day,
      hour: 0,
      label: activity.weekday(day),
      counted: day >= span.since,
      unfinished: isSame(day, today),
    }));
  const now = isSame(span.first, today) ? span.now.getUTCHours() : 24;
  return Array.from({ length: 24 }, (_, hour) => ({
    day: span.first,
    hour,
    label: activity.hour(hour),
    counted: span.first >= span.since && hour <= now,
    unfinished: hour === now,
  }));
}

const marksOf = (span: Span, { activity }: Messages): string[] => {
  if (span.by === 'hour') return [0, 12, 23].map((hour) => activity.hour(hour));
  const days = daysOf(span);
  return [days[0], days[Math.floor((days.length - 1) / 2)], days.at(-1)].flatMap((day) =>
    day === undefined ? [] : [activity.shortDay(day)],
  );
};

/** Where a span begins and ends, in words; a year that both share is said once. */
function spanInWords(span: Span, { activity, date }: Messages): string {
  const first = date(span.first);
  if (span.by === 'hour') return activity.onDay(first);
  return activity.fromTo(first, date(span.last));
}

type Titled = Pick<Chart, 'id' | 'title' | 'failures'>;

/** A chart of what happened, with the sum of all. */
export function countChart(
  span: Span,
  messages: Messages,
  { days, ...titled }: Titled & { days: readonly CountedDay[] },
): Html {
  const { activity } = messages;
  const rows = new Map(days.map((row) => [row.day.getTime(), row]));
  const slots = placesOf(span, messages).map(({ day, hour, counted, ...slot }) => {
    const row = rows.get(day.getTime());
    const count = span.by === 'day' ? row?.total : row?.hours[hour];
    return { ...slot, value: count || (counted ? 0 : undefined) };
  });
  const total = activity.number(slots.reduce((sum, { value }) => sum + (value ?? 0), 0));
  const [most] = slots.toSorted((one, other) => (other.value ?? 0) - (one.value ?? 0));
  const known = slots.some(({ value }) => value !== undefined);
  const said = { total, most: activity.number(most?.value ?? 0), mostAt: most?.label ?? '' };
  return chartOf(span, messages, {
    ...titled,
    headline: known ? total : '–',
    unit: known ? activity.inAll : '',
    summary: activity.chart({ title: titled.title, when: spanInWords(span, messages), ...said }),
    empty: known ? activity.empty : activity.notCountedYet,
    slots,
  });
}

/** What there was at a time, a figure for each day. A day without one is not known, unless there was none before. */
export function figureChart(
  span: Span,
  messages: Messages,
  { days, ...titled }: Titled & { days: readonly CountedDay[] },
): Html {
  const { activity } = messages;
  const rows = new Map(days.map(({ day, total }) => [day.getTime(), total]));
  let last: number | undefined;
  const slots = placesOf(span, messages).map(({ day, hour: _, counted: __, ...slot }) => {
    last = rows.get(day.getTime()) ?? (last === 0 ? 0 : undefined);
    return { ...slot, value: last };
  });
  const [latest] = days.toSorted((one, other) => other.day.getTime() - one.day.getTime());
  const headline = latest === undefined ? activity.notCounted : activity.number(latest.total);
  return chartOf(span, messages, {
    ...titled,
    headline,
    unit: latest === undefined ? '' : activity.asOf(activity.weekday(latest.day)),
    summary: activity.figure({ title: titled.title, when: spanInWords(span, messages), latest: headline }),
    empty: activity.noFigure,
    slots,
  });
}

/** How long nearly all responses took on each day, in milliseconds; half of them and nearly all of the whole span. */
export function timesChart(
  span: Span,
  messages: Messages,
  {
    half,
    most,
    days,
    ...titled
  }: Titled & {
    half: number | undefined;
    most: number | undefined;
    days: readonly { day: Date; most: number | undefined }[];
  },
): Html {
  const { activity } = messages;
  const rows = new Map(days.map((row) => [row.day.getTime(), row.most]));
  const [halfText, mostText] = [half, most].map((milliseconds) =>
    milliseconds === undefined ? '–' : activity.milliseconds(milliseconds),
  ) as [string, string];
  const said = { when: spanInWords(span, messages), half: halfText, most: mostText };
  return chartOf(span, messages, {
    ...titled,
    headline: halfText,
    unit: half === undefined ? '' : activity.mostWithin(mostText),
    summary: activity.times({ title: titled.title, ...said }),
    empty: activity.noAnswer,
    number: activity.precise,
    slots: placesOf(span, messages).map(({ day, label, unfinished }) => ({
      label,
      unfinished,
      value: rows.get(day.getTime()),
    })),
  });
}

const chartOf = (
  span: Span,
  messages: Messages,
  chart: Omit<Chart, 'marks' | 'when' | 'number'> & Partial<Pick<Chart, 'number'>>,
): Html => {
  const { activity } = messages;
  const when = span.by === 'day' ? activity.day : activity.hourHeading;
  return barChart({ number: activity.number, ...chart, when, marks: marksOf(span, messages) }, messages);
};

/**
 * Which days are shown, and the ways to others.
 * @param here the address of the page; `hours` says whether it shows those of a day, too
 */
export function spanNavigation(
  span: Span,
  messages: Messages,
  { here, hours }: { here: string; hours: boolean },
): Html {
  const { activity } = messages;
  const today = todayOf(span);
  const link = (parameter: string, text: string) =>
    html`<a class="reachable" href="${here}${parameter}">${text}</a>
`;
  const isLatest = isSame(span.last, today);
  const step = span.by === 'day' ? DAYS_SHOWN : 1;
  const name = span.by === 'day' ? 'until' : 'day';
  const words = activity.ways[span.by];
  const next = new Date(Math.min(plus(span.last, step).getTime(), today.getTime()));
  return html`<div class="span">
<h2 class="span-title">${spanInWords(span, messages)} (UTC)</h2>
<nav class="span-ways" aria-label="${activity.otherTimes}">
${span.first > span.since && link(`?${name}=${isoDay(plus(span.last, -step))}`, words.earlier)}
${!isLatest && link(`?${name}=${isoDay(next)}`, words.later)}
${(span.by === 'hour' || !isLatest) && link('', activity.latestDays)}
</nav>
${
  hours &&
  html`<form class="span-day" method="get" action="${here}">
<label class="field-label" for="day">${activity.chooseDay}</label>
<input class="field-input" type="date" id="day" name="day" value="${isoDay(span.last)}" min="${isoDay(span.since)}" max="${isoDay(today)}">
<button class="button button--secondary" type="submit"><span>${activity.show}</span></button>
</form>`
}
</div>`;
}
