// Generates user codes, and parses the user codes and numeric codes that users enter.
import { randomInt } from 'node:crypto';

/** Longer than any valid code with separators. */
const MAX_ENTERED_LENGTH = 64;

// Separators that users may enter within a code. Copied codes may contain invisible characters (Cf). The minus sign is
// listed because Unicode doesn't classify it as a dash (Pd).
const SEPARATORS = /[\s\p{Pd}\p{Cf}\u2212]/gu;

/** Removes separators and converts digits to ASCII. Returns '' if the input is too long. */
export const normalizeEnteredCode = (entered: string): string =>
  entered.length > MAX_ENTERED_LENGTH
    ? ''
    : entered
        .normalize('NFKC')
        .replace(SEPARATORS, '')
        .replace(/\p{Nd}/gu, toAsciiDigit);

/** Parses a numeric code. Returns undefined unless it has exactly `length` digits. */
export function parseDigits(entered: string, length: number): string | undefined {
  const code = normalizeEnteredCode(entered);
  return code.length === length && /^\d+$/.test(code) ? code : undefined;
}

/** Returns the ASCII digit for a Unicode digit. In every script, the digits 0 to 9 have consecutive code points. */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let precedingDigits = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - precedingDigits - 1))) precedingDigits += 1;
  return String(precedingDigits % 10);
}

const USER_CODE_ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const USER_CODE_LENGTH = 8;

/** Returns a user code such as `WDJB-MJHT`. Its 34 bits are sufficient because attempts are limited (RFC 8628 §5.1). */
export function newUserCode(): string {
  const characters = Array.from(
    { length: USER_CODE_LENGTH },
    () => USER_CODE_ALPHABET[randomInt(USER_CODE_ALPHABET.length)],
  );
  return `${characters.slice(0, 4).join('')}-${characters.slice(4).join('')}`;
}

/** Parses a user code in any case, with any separators. Returns undefined if the code is invalid. */
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
