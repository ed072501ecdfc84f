// Sanitizes names in emails and consent titles.
// An attacker could send a link, a phone number or a message in a name.

const MAX_LENGTH = 40; // grapheme clusters
/** Enough digits for a year but not for a phone number. */
const MAX_DIGITS = 4;

/** Characters that UTS #46 treats as periods in host names. */
const PERIODS = /[.\u0589\u06d4\u0701\u0702\u2024\u3002\ua4f8\ua60e\ufe52\uff0e\uff61\u{10a50}]/gu;
const DISALLOWED_CHARACTERS =
  /(?!\p{Join_Control})[^\p{L}\p{M}\p{N}\p{Extended_Pictographic} '’.,&!()+·—–-]/gu;
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu;
/** A period that could belong to a host name. Periods between initials (`J.R.R. Tolkien`) are kept. */
const INNER_PERIOD = /\.(?![\s,)!]|$)/gu;
const AFTER_INITIAL = /(?<![\p{L}\p{M}\p{N}-]|\p{Join_Control})\p{L}\p{M}?$/u;
const BEFORE_INITIAL = /^\p{L}\p{M}?\./u;
const DIGIT = /\p{N}/gu;

/** The result may be empty. */
export const sanitizeName = (name: string): string => truncate(sanitize(name));

/** Truncates the name. Returns '' if sanitizing would change the name. */
export function toGreetingName(name: string): string {
  const sanitized = sanitize(name);
  return sanitized === name.normalize('NFKC').replace(/\s+/gu, ' ').trim() ? truncate(sanitized) : '';
}

function sanitize(name: string): string {
  const cleaned = name
    .normalize('NFKC')
    .replace(PERIODS, '.')
    .replace(DISALLOWED_CHARACTERS, ' ')
    .replace(STACKED_MARKS, '$1');
  const withoutPhone =
    (cleaned.match(DIGIT)?.length ?? 0) > MAX_DIGITS ? cleaned.replace(DIGIT, ' ') : cleaned;
  const tidy = withoutPhone
    .replace(/\.{2,}/g, '. ')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/^\.+\s*/, '');
  const withoutHost = tidy.replace(INNER_PERIOD, (stop, at: number) =>
    AFTER_INITIAL.test(tidy.slice(0, at)) && BEFORE_INITIAL.test(tidy.slice(at + 1)) ? stop : ' ',
  );
  return /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(withoutHost)
    ? withoutHost.replace(/\s+/gu, ' ').trim()
    : '';
}

function truncate(name: string): string {
  const characters = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment);
  return characters.length <= MAX_LENGTH
    ? name
    : `${characters
        .slice(0, MAX_LENGTH - 1)
        .join('')
        .trimEnd()}…`;
}

/** Masks an email address because an unverified address may belong to someone else. */
export const maskEmail = (email: string): string => `${[...email][0] ?? ''}…@…`;
