// Which days a page of counts shows, as its address asks for: the last weeks, those before, or the hours of one day.
import { DAYS_SHOWN, type Span } from './html/activity.ts';

const DAY = 24 * 3_600_000;

/** A day as an address names it, by its beginning (UTC); undefined for whatever is no day. */
function dayOf(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text ? undefined : day;
}

/**
 * @param query `day`: the hours of that day; `until`: the weeks that end with it. What is no day, or has not come yet,
 *   is as if it were not there
 * @param since the first day of which there are counts; undefined before the first
 */
export function spanOf(
  query: { get(name: string): string | undefined },
  now: Date,
  since: Date | null | undefined,
): Span {
  const today = new Date(Math.floor(now.getTime() / DAY) * DAY);
  const past = (name: string): Date | undefined => {
    const day = dayOf(query.get(name));
    return day !== undefined && day <= today ? day : undefined;
  };
  const begun = since ?? today;
  const day = past('day');
  if (day !== undefined) return { by: 'hour', first: day, last: day, now, since: begun };
  const last = past('until') ?? today;
  const first = new Date(last.getTime() - (DAYS_SHOWN - 1) * DAY);
  return { by: 'day', first, last, now, since: begun };
}
