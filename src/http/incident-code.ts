// Incident codes: the id of a request, in the log and on error pages.
import { randomFillSync } from 'node:crypto';

const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'; // no letters that look alike
const LENGTH = 10;

// Asking for randomness costs more per call than per byte, and every request asks.
const pool = Buffer.alloc(LENGTH * 400);
let used = pool.length;

/** A new code: short enough to read out, 50 random bits. */
export function newIncidentCode(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let code = '';
  for (const end = used + LENGTH; used < end; used += 1) code += ALPHABET[(pool[used] ?? 0) & 31];
  return code;
}
