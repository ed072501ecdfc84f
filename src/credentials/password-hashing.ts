// Password hashing with Argon2id, off the main thread and behind a bounded queue.
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { createKeyedQueue } from '../accounts/keyed-queue.ts';
import { normalizeText } from '../oauth/email.ts';

/** The parameters that OWASP recommends: Argon2id (2 in the library's enumeration), 19 MiB, two passes, one lane. */
const ARGON2ID = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Maximum queue length. Each hash takes about 10 ms, so the last request in the queue waits well under a second. */
const MAX_QUEUE_LENGTH = 50;

/** Default number of threads in libuv's pool. Password hashing and token signing share the pool. */
const POOL_THREADS = 4;

/**
 * Creates a well-formed hash that no password matches. Verifying a password against it takes as long as against any other hash.
 */
export const createUnmatchableHash = (): string => {
  const { memoryCost, timeCost, parallelism } = ARGON2ID;
  const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${base64(16)}$${base64(32)}`;
};

export interface PasswordHasher {
  /**
   * Normalizes a password to Unicode normal form C and hashes it.
   * @throws OAuthError `temporarily_unavailable` if the queue is full
   */
  hash(password: string): Promise<string>;
  /**
   * Verifies a password against a stored hash. Without a stored hash, takes the same time and returns false, so that
   * response times don't reveal whether an account exists.
   * @throws OAuthError `temporarily_unavailable` if the queue is full
   */
  verify(stored: string | undefined, password: string): Promise<boolean>;
  load(): { running: number; waiting: number };
}

/** Default number of concurrent hash computations. Leaves one core and one pool thread for other work. */
const CONCURRENCY = Math.max(1, Math.min(POOL_THREADS, availableParallelism()) - 1);

/** Hash for `verify` calls without a stored hash. Computed once per process. */
let dummyHash: Promise<string> | undefined;

export async function createPasswordHasher(concurrency = CONCURRENCY): Promise<PasswordHasher> {
  const queue = createKeyedQueue(concurrency, MAX_QUEUE_LENGTH);
  let pending = 0;
  const enqueue = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    pending += 1;
    try {
      return await queue('', (wait) => wait(), work);
    } finally {
      pending -= 1;
    }
  };

  dummyHash ??= hash('nobody has this password', ARGON2ID);
  const fallback = await dummyHash;
  return {
    hash: (password) => enqueue(() => hash(normalizeText(password), ARGON2ID)),
    verify: (stored, password) =>
      enqueue(async () => {
        const matches = await verify(stored ?? fallback, normalizeText(password));
        return stored !== undefined && matches;
      }),
    load: () => ({ running: Math.min(pending, concurrency), waiting: Math.max(0, pending - concurrency) }),
  };
}
