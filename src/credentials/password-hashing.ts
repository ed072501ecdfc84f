// Password hashing: Argon2id off the main thread, behind a queue that is full sooner than it is late.
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { openLine } from '../accounts/lines.ts';
import { normalized } from '../oauth/email.ts';

/** OWASP's recommendation: Argon2id (2 in the library's enumeration), 19 MiB, two passes, one lane. */
const ARGON2ID = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** How many may wait for their turn; at about 10 ms each the last one waits well under a second. */
const QUEUE_LIMIT = 50;

/** Threads that hashing and signing share (libuv's default). */
const POOL_THREADS = 4;

/** A hash that no password matches, in the form of the others: verifying it takes as long. */
export const unmatchableHash = (): string => {
  const { memoryCost, timeCost, parallelism } = ARGON2ID;
  const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${base64(16)}$${base64(32)}`;
};

export interface PasswordHasher {
  /**
   * Hashes a password in normal form C, because an accented letter can be one code point or two.
   * @throws OAuthError `temporarily_unavailable` when the queue is full
   */
  hash(password: string): Promise<string>;
  /**
   * Verifies a password against a stored hash; with no hash (no such account) the same work is done and the answer is
   * false. @throws OAuthError `temporarily_unavailable` when the queue is full
   */
  verify(stored: string | undefined, password: string): Promise<boolean>;
  /** How many hashes are being computed, and how many wait for their turn. */
  load(): { running: number; waiting: number };
}

/** Hashes computed at a time: one core, and one thread of the pool that also signs, are left to everything else. */
const CONCURRENCY = Math.max(1, Math.min(POOL_THREADS, availableParallelism()) - 1);

/** Made once per process, whose memory alone has it. */
let nobodysHash: Promise<string> | undefined;

/** @param concurrency hashes at a time */
export async function createPasswordHasher(concurrency = CONCURRENCY): Promise<PasswordHasher> {
  const line = openLine(concurrency, QUEUE_LIMIT);
  let asked = 0;
  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    asked += 1;
    try {
      return await line('', (wait) => wait(), work);
    } finally {
      asked -= 1;
    }
  };

  nobodysHash ??= hash('nobody has this password', ARGON2ID);
  const nobody = await nobodysHash;
  return {
    hash: (password) => inTurn(() => hash(normalized(password), ARGON2ID)),
    verify: (stored, password) =>
      inTurn(async () => {
        const matches = await verify(stored ?? nobody, normalized(password));
        return stored !== undefined && matches;
      }),
    load: () => ({ running: Math.min(asked, concurrency), waiting: Math.max(0, asked - concurrency) }),
  };
}
