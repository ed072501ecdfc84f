// Incident codes: the id of a request, in the log and on error pages.
import { randomBytes } from 'node:crypto';

const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'; // no letters that look alike
const LENGTH = 10;

/** A new code: short enough to read out, 50 random bits. */
export const newIncidentCode = (): string =>
  Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte & 31]).join('');

/** The code as it was written on the error page, however it was typed: nobody sends more than a few characters. */
export const typedIncidentCode = (text: string | undefined): string | undefined =>
  text
    ?.replace(/[^A-Za-z0-9]/g, '')
    .toUpperCase()
    .slice(0, 20) || undefined;

/** A text that is a code, spaces and dashes aside, as it is kept; undefined when it cannot be one. */
export function readIncidentCode(text: string): string | undefined {
  const code = text.replace(/[\s-]/g, '').toUpperCase();
  return code.length === LENGTH && [...code].every((letter) => ALPHABET.includes(letter)) ? code : undefined;
}
