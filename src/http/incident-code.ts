// Incident codes: the id of a request, in the log and on error pages.
import { randomFillSync } from 'node:crypto';

const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'; // no letters that look alike
const LENGTH = 10;

// Each request takes one, and randomness costs more per call than per byte.
const pool = Buffer.alloc(LENGTH * 400);
let used = pool.length;

/** A new code: short enough to read out, 50 random bits. */
export function newIncidentCode(): string {
  if (used === pool.length) randomFillSync(pool);
  const start = used % pool.length;
  used = start + LENGTH;
  let code = '';
  for (let at = start; at < used; at += 1) code += ALPHABET[(pool[at] ?? 0) & 31];
  return code;
}

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
