// Generates user codes, and parses the user codes and numeric codes that users enter.
import { randomInt } from 'node:crypto';

/** Longer than any valid code with separators. */
const MAX_ENTERED_CODE_LENGTH = 64;

// Copied codes may contain invisible characters (Cf). The minus sign (U+2212) isn't in Pd.
const SEPARATOR_PATTERN = /[\s\p{Pd}\p{Cf}\u2212]/gu;

/** Returns '' if the input is too long. */
export const normalizeEnteredCode = (entered: string): string =>
  entered.length > MAX_ENTERED_CODE_LENGTH
    ? ''
    : entered
        .normalize('NFKC')
        .replace(SEPARATOR_PATTERN, '')
        .replace(/\p{Nd}/gu, toAsciiDigit);

/** Returns undefined if the code doesn't have exactly `length` digits. */
export function parseDigits(entered: string, length: number): string | undefined {
  const code = normalizeEnteredCode(entered);
  return code.length === length && /^\d+$/.test(code) ? code : undefined;
}

/** In every script, the digits 0 to 9 have consecutive code points. */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let precedingDigits = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - precedingDigits - 1))) precedingDigits += 1;
  return String(precedingDigits % 10);
}

const USER_CODE_ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const USER_CODE_LENGTH = 8;

/** Returns a code such as `WDJB-MJHT`. 34 bits are enough because attempts are limited (RFC 8628 §5.1). */
export function newUserCode(): string {
  const characters = Array.from(
    { length: USER_CODE_LENGTH },
    () => USER_CODE_ALPHABET[randomInt(USER_CODE_ALPHABET.length)],
  );
  return `${characters.slice(0, 4).join('')}-${characters.slice(4).join('')}`;
}

/** Ignores case and separators. Returns undefined for an invalid code. */
export function parseUserCode(entered: string): string | undefined {
  const characters = normalizeEnteredCode(entered)
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '');
  if (
    characters.length !== USER_CODE_LENGTH ||
    [...characters].some((character) => !USER_CODE_ALPHABET.includes(character))
  )
    return undefined;
  return `${characters.slice(0, 4)}-${characters.slice(4)}`;
}
