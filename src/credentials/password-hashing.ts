// Password hashing with Argon2id, off the main thread and behind a bounded queue.
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { createKeyedQueue, type ReleaseSlot } from '../accounts/keyed-queue.ts';
import { normalizeText } from '../oauth/email.ts';
import { IMPORTED_PREFIX } from '../store/imported-passwords.ts';
import type { Digest } from './hash-digests.ts';
import {
  createImportedHashChecks,
  type ImportedHashServices,
  isImportedHash,
} from './imported-hash-checks.ts';

/** OWASP's recommendation. Algorithm 2 is Argon2id, and the memory is in KiB. */
const ARGON2ID = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const NATIVE_HASH_PREFIX = `$argon2id$v=19$m=${ARGON2ID.memoryCost},t=${ARGON2ID.timeCost},p=${ARGON2ID.parallelism}$`;

/** Each hash takes about 10 ms, so requests wait well under a second. */
const MAX_QUEUE_LENGTH = 50;

/** Size of libuv's thread pool. Token signing uses the same threads. */
const POOL_THREADS = 4;

/** Creates a hash that no password matches. Verifying a password against it takes as long as against any other hash. */
export const createUnmatchableHash = (): string => {
  const generateBase64 = (bytes: number) => randomBytes(bytes).toString('base64').replace(/=+$/, '');
  return `${NATIVE_HASH_PREFIX}${generateBase64(16)}$${generateBase64(32)}`;
};

interface VerifyOptions {
  enqueue?: ReleaseSlot;
  /** Releases the request's concurrency slot (http/overload.ts) while the check waits. */
  releaseSlot?: ReleaseSlot;
  /** Whether a match must take as long as a mismatch. */
  hidesMatch?: boolean;
}

export interface PasswordHasher {
  /**
   * Hashes a password in Unicode normal form C.
   * @throws OAuthError `temporarily_unavailable` if the queue is full
   */
  hash(password: string): Promise<string>;
  /**
   * Verifies a password against a stored hash, which may be imported. Takes the same time without a stored hash, so
   * response times don't reveal which accounts exist.
   * @returns `busy` if too many checks of imported hashes are waiting
   * @throws OAuthError `temporarily_unavailable` if the queue is full
   */
  verify(stored: string | undefined, password: string, options?: VerifyOptions): Promise<boolean | 'busy'>;
  wrap(digest: Digest): Promise<string>;
  load(): { running: number; waiting: number; imported: { checks: number; hashes: number } };
}

/** Leaves one core and one pool thread for other work. */
const DEFAULT_CONCURRENCY = Math.max(1, Math.min(POOL_THREADS, availableParallelism()) - 1);

let dummyHash: Promise<string> | undefined;

const runImmediately: ReleaseSlot = (work) => work();

/** @param services needed to verify imported hashes. If absent, imported hashes match no password. */
export async function createPasswordHasher(
  services?: ImportedHashServices,
  concurrency = DEFAULT_CONCURRENCY,
): Promise<PasswordHasher> {
  const queue = createKeyedQueue(concurrency, MAX_QUEUE_LENGTH);
  let pending = 0;
  const enqueue = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    pending += 1;
    try {
      return await queue('', runImmediately, work);
    } finally {
      pending -= 1;
    }
  };

  dummyHash ??= hash('nobody has this password', ARGON2ID);
  const fallback = await dummyHash;
  const importedHashes = services && createImportedHashChecks(services);
  return {
    hash: (password) => enqueue(() => hash(normalizeText(password), ARGON2ID)),
    async verify(stored, password, options = {}) {
      const {
        enqueue: enqueueAttempt = runImmediately,
        releaseSlot = runImmediately,
        hidesMatch = false,
      } = options;
      const isImported = stored !== undefined && isImportedHash(stored);
      const own = isImported ? undefined : stored;
      const isMatch = await enqueueAttempt(() =>
        enqueue(() => verify(own ?? fallback, normalizeText(password))),
      );
      const matchesOwn = own !== undefined && isMatch;
      if (importedHashes === undefined || (matchesOwn && !hidesMatch)) return matchesOwn;
      const imported = isImported ? stored : undefined;
      const result = await importedHashes.check({ stored: imported, password, hidesMatch, releaseSlot });
      return result === false ? matchesOwn : result;
    },
    async wrap(digest) {
      const { algorithm, saltPosition, salt } = digest;
      const wrapped = await enqueue(() => hash(digest.digest.toString('hex'), ARGON2ID));
      const saltText = salt.toString('base64').replace(/=+$/, '');
      return `${IMPORTED_PREFIX}$wrapped$${algorithm}-${saltPosition}$${saltText}${wrapped}`;
    },
    load: () => ({
      running: Math.min(pending, concurrency),
      waiting: Math.max(0, pending - concurrency),
      imported: importedHashes?.load() ?? { checks: 0, hashes: 0 },
    }),
  };
}
