// Sanitizes names in emails, so that they can't contain a link, a phone number or a message.
// An attacker can choose a name that the service then sends to other people.

/** Maximum length in grapheme clusters. Longer names are truncated. */
const MAX_LENGTH = 40;
/** Maximum number of digits: enough for a year, but not for a phone number. */
const MAX_DIGITS = 4;

/** Periods, and characters that UTS #46 treats as periods in host names. */
const STOPS = /[.\u0589\u06d4\u0701\u0702\u2024\u3002\ua4f8\ua60e\ufe52\uff0e\uff61\u{10a50}]/gu;
/** Characters that are replaced by spaces. */
const DISALLOWED = /(?!\p{Join_Control})[^\p{L}\p{M}\p{N}\p{Extended_Pictographic} '’.,&!()+·—–-]/gu;
/** More than three combining marks in a row. */
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu;
/** A period that could belong to a host name. Periods between initials, as in `J.R.R. Tolkien`, are not removed. */
const INNER_STOP = /\.(?![\s,)!]|$)/gu;
const AFTER_INITIAL = /(?<![\p{L}\p{M}\p{N}-]|\p{Join_Control})\p{L}\p{M}?$/u;
const BEFORE_INITIAL = /^\p{L}\p{M}?\./u;
const DIGIT = /\p{N}/gu;

/** Sanitizes and truncates a name. The result may be empty. */
export const sanitizeName = (name: string): string => truncate(sanitize(name));

/** Returns the name for a greeting, or an empty string if sanitizing would change the name. */
export function greetingName(name: string): string {
  const sanitized = sanitize(name);
  return sanitized === name.normalize('NFKC').replace(/\s+/gu, ' ').trim() ? truncate(sanitized) : '';
}

function sanitize(name: string): string {
  const cleaned = name
    .normalize('NFKC')
    .replace(STOPS, '.')
    .replace(DISALLOWED, ' ')
    .replace(STACKED_MARKS, '$1');
  const withoutPhone =
    (cleaned.match(DIGIT)?.length ?? 0) > MAX_DIGITS ? cleaned.replace(DIGIT, ' ') : cleaned;
  const tidy = withoutPhone
    .replace(/\.{2,}/g, '. ')
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/^\.+\s*/, '');
  const withoutHost = tidy.replace(INNER_STOP, (stop, at: number) =>
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

/** Masks an email address in emails to an unverified mailbox, which may belong to someone else. */
export const maskEmail = (email: string): string => `${[...email][0] ?? ''}…@…`;
