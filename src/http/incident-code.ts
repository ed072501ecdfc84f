// Incident codes: request ids that appear in the log and on error pages.
import { randomFillSync } from 'node:crypto';

const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'; // excludes characters that look alike
const LENGTH = 10;

// Random bytes are generated in bulk, because every request gets an incident code.
const pool = Buffer.alloc(LENGTH * 400);
let used = pool.length;

/** Generates an incident code from 50 random bits. The code is short enough to read aloud. */
export function newIncidentCode(): string {
  if (used === pool.length) randomFillSync(pool);
  const start = used % pool.length;
  used = start + LENGTH;
  let code = '';
  for (let index = start; index < used; index += 1) code += ALPHABET[(pool[index] ?? 0) & 31];
  return code;
}

/** Normalizes a typed incident code: removes separators, converts to upper case, and truncates. */
export const normalizeIncidentCode = (text: string | undefined): string | undefined =>
  text
    ?.replace(/[^A-Za-z0-9]/g, '')
    .toUpperCase()
    .slice(0, 20) || undefined;

/** Parses an incident code, ignoring spaces and dashes. Returns undefined if the text is not an incident code. */
export function parseIncidentCode(text: string): string | undefined {
  const code = text.replace(/[\s-]/g, '').toUpperCase();
  return code.length === LENGTH && [...code].every((character) => ALPHABET.includes(character))
    ? code
    : undefined;
}
