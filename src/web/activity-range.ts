// Parses an activity page's query into the range of days or hours to show.
import { type ActivityRange, DEFAULT_DAYS, RANGE_DAYS } from './html/activity.ts';

const DAY = 24 * 3_600_000;

/** Parses `YYYY-MM-DD` as midnight UTC. Returns undefined if the value isn't a valid date. */
function parseDay(value: string | undefined): Date | undefined {
  if (value === undefined || !/^\d{4}-\d\d-\d\d$/.test(value)) return undefined;
  const day = new Date(`${value}T00:00:00Z`);
  return Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== value ? undefined : day;
}

/**
 * Ignores invalid and future dates.
 * @param query `day`: the day to show by hour. `until`: the last day. `days`: the number of days.
 * @param since the first day with recorded counts, if any
 */
export function parseActivityRange(
  query: { get(name: string): string | undefined },
  now: Date,
  since: Date | null | undefined,
): ActivityRange {
  const today = new Date(Math.floor(now.getTime() / DAY) * DAY);
  const parsePastDay = (name: string): Date | undefined => {
    const day = parseDay(query.get(name));
    return day !== undefined && day <= today ? day : undefined;
  };
  const firstCounted = since ?? today;
  const day = parsePastDay('day');
  if (day !== undefined) return { unit: 'hour', first: day, last: day, now, firstCounted };
  const last = parsePastDay('until') ?? today;
  const days = RANGE_DAYS.find((count) => String(count) === query.get('days')) ?? DEFAULT_DAYS;
  const first = new Date(last.getTime() - (days - 1) * DAY);
  return { unit: 'day', first, last, now, firstCounted };
}
