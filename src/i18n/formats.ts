// Owns how dates and numbers are written. A format is made when the first page needs it: the data behind them takes
// some 8 MiB, which a process that answers machines never needs.

/** Makes something once, at its first use. */
const once = <Value>(make: () => Value): (() => Value) => {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

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

const formatsOf = (locale: string) => {
  const day = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }));
  const time = once(() => new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' }));
  const shortDay = once(
    () => new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  );
  const weekday = once(
    () =>
      new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' }),
  );
  const brief = once(() => new Intl.DateTimeFormat(locale, { ...BRIEF, timeZone: 'UTC' }));
  const briefExact = once(
    () => new Intl.DateTimeFormat(locale, { ...BRIEF, second: '2-digit', timeZone: 'UTC' }),
  );
  const number = once(() => new Intl.NumberFormat(locale));
  const precise = once(() => new Intl.NumberFormat(locale, { maximumSignificantDigits: 2 }));
  return {
    /** A day in full, in UTC. */
    day: (at: Date): string => day().format(at),
    /** Hours and minutes, in UTC. */
    time: (at: Date): string => time().format(at),
    /** A day and its month, in short; with its day of the week. In UTC. */
    shortDay: (at: Date): string => shortDay().format(at),
    weekday: (at: Date): string => weekday().format(at),
    /** Day and time in short, to the minute or to the second, in UTC. */
    brief: (at: Date): string => brief().format(at),
    briefExact: (at: Date): string => briefExact().format(at),
    /** What was measured, no more precisely than it is known. */
    precise: (value: number): string =>
      value < 100 ? precise().format(value) : number().format(Math.round(value)),
    number: (count: number): string => number().format(count),
  };
};

export const french = formatsOf('fr-FR');
export const english = formatsOf('en-GB');
