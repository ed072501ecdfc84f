// Incident codes: request IDs that appear in the log and on error pages.
import { randomFillSync } from 'node:crypto';

/** Omits 0, 1, I and O, which are easily confused. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const CODE_LENGTH = 10;

// Random bytes are generated in bulk because every request needs a code.
const pool = Buffer.alloc(CODE_LENGTH * 400);
let usedBytes = pool.length;

export function newIncidentCode(): string {
  if (usedBytes === pool.length) randomFillSync(pool);
  const start = usedBytes % pool.length;
  usedBytes = start + CODE_LENGTH;
  let code = '';
  for (let index = start; index < usedBytes; index += 1) code += ALPHABET[(pool[index] ?? 0) & 31];
  return code;
}

/** Normalizes an entered code. The result may be longer than a valid code. */
export const normalizeIncidentCode = (text: string | undefined): string | undefined =>
  text
    ?.replace(/[^A-Za-z0-9]/g, '')
    .toUpperCase()
    .slice(0, 20) || undefined;

/** Ignores spaces and dashes. Returns undefined if the text isn't an incident code. */
export function parseIncidentCode(text: string): string | undefined {
  const code = text.replace(/[\s-]/g, '').toUpperCase();
  return code.length === CODE_LENGTH && [...code].every((character) => ALPHABET.includes(character))
    ? code
    : undefined;
}
