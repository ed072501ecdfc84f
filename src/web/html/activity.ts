// Owns the look of counts by day or by hour: which days are shown and the ways to others, and each count as a chart.
import type { Messages } from '../../i18n/index.ts';
import { barChart, type ChartWords, type Slot, stepChart } from './chart.ts';
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

const wordsOf = (span: Span, { activity }: Messages): ChartWords => ({
  empty: activity.empty,
  figures: activity.figures,
  when: span.by === 'day' ? activity.day : activity.hourHeading,
  unfinished: activity.unfinished,
  unknown: '–',
  number: activity.number,
  pair: activity.pair,
});

/** Where a span begins and ends, in words; a year that both share is said once. */
function spanInWords(span: Span, { activity, date }: Messages): string {
  const first = date(span.first);
  if (span.by === 'hour') return activity.onDay(first);
  return activity.fromTo(first, date(span.last));
}

export function countChart(
  span: Span,
  messages: Messages,
  {
    id,
    title,
    days,
    failures,
  }: { id: string; title: string; days: readonly CountedDay[]; failures?: boolean | undefined },
): Html {
  const { activity } = messages;
  const rows = new Map(days.map((row) => [row.day.getTime(), row]));
  const slots = placesOf(span, messages).map(({ day, hour, counted, ...slot }) => {
    const row = rows.get(day.getTime());
    const count = span.by === 'day' ? row?.total : row?.hours[hour];
    return { ...slot, value: count || (counted ? 0 : undefined) };
  });
  const total = slots.reduce((sum, { value }) => sum + (value ?? 0), 0);
  const words = wordsOf(span, messages);
  const known = slots.some(({ value }) => value !== undefined);
  return barChart({
    id,
    title,
    headline: known ? activity.number(total) : words.unknown,
    unit: known ? activity.inAll : '',
    marks: marksOf(span, messages),
    summary: summaryOf(title, spanInWords(span, messages), slots, activity),
    words: known ? words : { ...words, empty: activity.notCountedYet },
    failures,
    slots,
  });
}

function summaryOf(
  title: string,
  when: string,
  slots: readonly Slot[],
  { chart, number }: Messages['activity'],
): string {
  const total = slots.reduce((sum, { value }) => sum + (value ?? 0), 0);
  const [most] = slots.toSorted((one, other) => (other.value ?? 0) - (one.value ?? 0));
  return chart({
    title,
    when,
    total: number(total),
    most: number(most?.value ?? 0),
    mostAt: most?.label ?? '',
  });
}

/** What there was at a time, a figure for each day. A day without one is not known, unless there was none before. */
export function figureChart(
  span: Span,
  messages: Messages,
  { id, title, days }: { id: string; title: string; days: readonly CountedDay[] },
): Html {
  const { activity } = messages;
  const rows = new Map(days.map(({ day, total }) => [day.getTime(), total]));
  let last: number | undefined;
  const slots = placesOf(span, messages).map(({ day, hour: _, counted: __, ...slot }) => {
    last = rows.get(day.getTime()) ?? (last === 0 ? 0 : undefined);
    return { ...slot, value: last };
  });
  const [latest] = days.toSorted((one, other) => other.day.getTime() - one.day.getTime());
  const known = latest === undefined ? activity.notCounted : activity.number(latest.total);
  return barChart({
    id,
    title,
    headline: known,
    unit: latest === undefined ? '' : activity.asOf(activity.weekday(latest.day)),
    marks: marksOf(span, messages),
    summary: activity.figure({ title, when: spanInWords(span, messages), latest: known }),
    words: { ...wordsOf(span, messages), empty: activity.noFigure },
    slots,
  });
}

/** How long answers took on each day, in milliseconds: half of them, and nearly all. */
export function timesChart(
  span: Span,
  messages: Messages,
  times: {
    id: string;
    title: string;
    half: number | undefined;
    most: number | undefined;
    days: readonly { day: Date; half: number | undefined; most: number | undefined }[];
  },
): Html {
  const { activity } = messages;
  const rows = new Map(times.days.map((row) => [row.day.getTime(), row]));
  const places = placesOf(span, messages);
  const { half, most, title, id } = times;
  const said = (milliseconds: number | undefined) =>
    milliseconds === undefined ? '–' : activity.milliseconds(milliseconds);
  return stepChart({
    id,
    title,
    headline: said(half),
    unit: half === undefined ? '' : activity.mostWithin(said(most)),
    marks: marksOf(span, messages),
    summary: activity.times({ title, when: spanInWords(span, messages), half: said(half), most: said(most) }),
    words: { ...wordsOf(span, messages), empty: activity.noAnswer, number: activity.precise },
    slots: places,
    lines: [
      { name: activity.half, kind: 'plain', values: places.map(({ day }) => rows.get(day.getTime())?.half) },
      { name: activity.most, kind: 'dashed', values: places.map(({ day }) => rows.get(day.getTime())?.most) },
    ],
  });
}

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
