// The code that a person types for their device: short, without vowels and without look-alikes (RFC 8628 §6.1).
import { randomInt } from 'node:crypto';
import { readTypedCode } from './typed-code.ts';

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
