// Parses codes that users enter: user codes and numeric codes.
import { randomInt } from 'node:crypto';

const MAX_ENTERED_LENGTH = 64; // longer than any code with separators

// Copied codes may contain invisible characters. Dashes don't include the minus sign.
const SEPARATORS = /[\s\p{Pd}\p{Cf}\u2212]/gu;

/** Removes separators and converts digits to ASCII. Returns '' if the input is too long. */
export const normalizeEnteredCode = (entered: string): string =>
  entered.length > MAX_ENTERED_LENGTH
    ? ''
    : entered
        .normalize('NFKC')
        .replace(SEPARATORS, '')
        .replace(/\p{Nd}/gu, digitValue);

/** Returns undefined unless the input has `length` digits. */
export function parseDigits(entered: string, length: number): string | undefined {
  const code = normalizeEnteredCode(entered);
  return code.length === length && /^\d+$/.test(code) ? code : undefined;
}

/** Every script's decimal digits are in ascending runs of ten. */
function digitValue(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let precedingDigits = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - precedingDigits - 1))) precedingDigits += 1;
  return String(precedingDigits % 10);
}

const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** Returns a user code such as `WDJB-MJHT`. Its 34 bits are sufficient because attempts are limited (RFC 8628 §5.1). */
export function newUserCode(): string {
  const characters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${characters.slice(0, 4).join('')}-${characters.slice(4).join('')}`;
}

/** Accepts any case and any separators. Returns undefined for an invalid code. */
export function parseUserCode(entered: string): string | undefined {
  const characters = normalizeEnteredCode(entered)
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '');
  if (characters.length !== LENGTH || [...characters].some((character) => !ALPHABET.includes(character)))
    return undefined;
  return `${characters.slice(0, 4)}-${characters.slice(4)}`;
}
