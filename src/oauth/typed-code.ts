// Codes that people type: user codes of devices, and digits.
import { randomInt } from 'node:crypto';

/** Longer than any code with separators. Longer texts are not examined. */
const MAX_TYPED_LENGTH = 64;

// Invisible characters come along when a code is copied; the minus sign is no dash to Unicode.
const SEPARATORS = /[\s\p{Pd}\p{Cf}\u2212]/gu;

/** The characters of a typed code without separators, digits as ASCII; '' if it is too long to be a code. */
export const readTypedCode = (typed: string): string =>
  typed.length > MAX_TYPED_LENGTH
    ? ''
    : typed
        .normalize('NFKC')
        .replace(SEPARATORS, '')
        .replace(/\p{Nd}/gu, digitValue);

/** A typed code of so many digits; undefined if it can't be one. */
export function readDigits(typed: string, length: number): string | undefined {
  const code = readTypedCode(typed);
  return code.length === length && /^\d+$/.test(code) ? code : undefined;
}

/** Unicode encodes the decimal digits of every script in ascending runs of ten. */
function digitValue(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before % 10);
}

const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** A new code as it is shown: `WDJB-MJHT`. Some 34 bits, which is enough for minutes where guesses are counted. */
export function newUserCode(): string {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`;
}

/** What a person typed, as it was shown: any case, any separators. Undefined when it cannot be a code. */
export function normalizedUserCode(text: string): string | undefined {
  const letters = readTypedCode(text)
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '');
  if (letters.length !== LENGTH || [...letters].some((letter) => !ALPHABET.includes(letter)))
    return undefined;
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
