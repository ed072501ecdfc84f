// Formats of dates and numbers.

/** The first of two days, without its year where the second says the same one. */
export function dayBefore(first: string, second: string): string {
  const year = /\s\d{4}$/.exec(second)?.[0];
  return year !== undefined && first.endsWith(year) ? first.slice(0, -year.length) : first;
}

const BRIEF = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
} as const;

const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
] as const;

const formatsOf = (locale: string) => {
  const dates = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  const day = dates({ dateStyle: 'long' });
  const time = dates({ timeStyle: 'short' });
  const shortDay = dates({ day: 'numeric', month: 'short' });
  const weekday = dates({ weekday: 'short', day: 'numeric', month: 'short' });
  const brief = dates(BRIEF);
  const briefExact = dates({ ...BRIEF, second: '2-digit' });
  const number = new Intl.NumberFormat(locale);
  const precise = new Intl.NumberFormat(locale, { maximumSignificantDigits: 2 });
  const duration = (seconds: number): string => {
    const [size, unit] = UNITS.find(([length]) => seconds % length === 0) ?? [1, 'second'];
    const options = { style: 'unit', unit, unitDisplay: 'long' } as const;
    return new Intl.NumberFormat(locale, options).format(seconds / size).replace(' ', '\u00a0');
  };
  return {
    /** A day in full, in UTC. */
    day: (at: Date): string => day.format(at),
    /** Hours and minutes, in UTC. */
    time: (at: Date): string => time.format(at),
    /** A day and its month, in short; with its day of the week. In UTC. */
    shortDay: (at: Date): string => shortDay.format(at),
    weekday: (at: Date): string => weekday.format(at),
    /** Day and time in short, to the minute or to the second, in UTC. */
    brief: (at: Date): string => brief.format(at),
    briefExact: (at: Date): string => briefExact.format(at),
    /** What was measured, no more precisely than it is known. */
    precise: (value: number): string =>
      value < 100 ? precise.format(value) : number.format(Math.round(value)),
    number: (count: number): string => number.format(count),
    /** Seconds in the largest unit that expresses them exactly. */
    duration,
    /** How long to wait: seconds up to two minutes, then minutes, rounded up. */
    wait: (seconds: number): string =>
      duration(seconds < 120 ? Math.max(1, Math.ceil(seconds)) : Math.ceil(seconds / 60) * 60),
  };
};

export const french = formatsOf('fr-FR');
export const english = formatsOf('en-GB');
