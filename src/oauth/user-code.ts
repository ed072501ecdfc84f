// User codes (RFC 8628 §6.1).
import { randomInt } from 'node:crypto';
import { normalizeEnteredCode } from './entered-code.ts';

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
