// Formats dates, numbers and durations.

/** Omits the year of the first date if both dates have the same year. */
export function formatRangeStart(first: string, last: string): string {
  const year = /\s\d{4}$/.exec(last)?.[0];
  return year !== undefined && first.endsWith(year) ? first.slice(0, -year.length) : first;
}

const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;

const DURATION_UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
] as const;

const createFormats = (locale: string) => {
  const createDateFormat = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  const day = createDateFormat(DATE);
  const time = createDateFormat({ timeStyle: 'short' });
  const timeWithSeconds = createDateFormat({ timeStyle: 'medium' });
  const shortDay = createDateFormat({ day: 'numeric', month: 'short' });
  const weekday = createDateFormat({ weekday: 'short', day: 'numeric', month: 'short' });
  const number = new Intl.NumberFormat(locale);
  const precise = new Intl.NumberFormat(locale, { maximumSignificantDigits: 2 });
  const formatDuration = (seconds: number): string => {
    const [size, unit] = DURATION_UNITS.find(([length]) => seconds % length === 0) ?? [1, 'second'];
    const options = { style: 'unit', unit, unitDisplay: 'long' } as const;
    return new Intl.NumberFormat(locale, options).format(seconds / size).replace(' ', '\u00a0');
  };
  return {
    day: (at: Date): string => day.format(at).replaceAll(' ', '\u00a0'),
    time: (at: Date): string => time.format(at),
    timeWithSeconds: (at: Date): string => timeWithSeconds.format(at),
    shortDay: (at: Date): string => shortDay.format(at),
    weekday: (at: Date): string => weekday.format(at),
    /** Rounds values below 100 to two significant digits, and other values to integers. */
    precise: (value: number): string =>
      value < 100 ? precise.format(value) : number.format(Math.round(value)),
    number: (count: number): string => number.format(count),
    /** Uses the largest unit that leaves no remainder. */
    duration: formatDuration,
    /** Shows times below two minutes in seconds, and longer times in minutes. Rounds up. */
    wait: (seconds: number): string =>
      formatDuration(seconds < 120 ? Math.max(1, Math.ceil(seconds)) : Math.ceil(seconds / 60) * 60),
  };
};

export const french = createFormats('fr-FR');
export const english = createFormats('en-GB');
