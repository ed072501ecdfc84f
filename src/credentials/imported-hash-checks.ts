// Verifies imported hashes one at a time. All failed checks take the same time (ADR 23).
import { createKeyedQueue, type ReleaseSlot } from '../accounts/keyed-queue.ts';
import { normalizeText } from '../oauth/email.ts';
import type { Database } from '../store/database.ts';
import {
  countImportedHashes,
  IMPORTED_PREFIX,
  type ImportedScheme,
  listImportedSchemes,
  MAX_SCHEMES,
} from '../store/imported-passwords.ts';
import { findSlowestSchemes } from './imported-hash-costs.ts';
import { verifyInThread } from './imported-hash-thread.ts';

export interface ImportedHashServices {
  database: Database;
  now: () => Date;
  wait: (milliseconds: number) => Promise<void>;
  /** Returns the time of a monotonic clock in milliseconds. */
  monotonic?: () => number;
}

interface ImportedHashCheck {
  /** Undefined if the account has no imported hash. The check then fails after the usual time. */
  stored: string | undefined;
  password: string;
  hidesMatch: boolean;
  releaseSlot: ReleaseSlot;
}

export interface ImportedHashChecks {
  /** @returns `busy` if too many checks are waiting */
  check(check: ImportedHashCheck): Promise<boolean | 'busy'>;
  load(): { checks: number; hashes: number };
}

export const isImportedHash = (stored: string): boolean => stored.startsWith(IMPORTED_PREFIX);

const MAX_PASSWORD_BYTES = 256;

/** Milliseconds. */
const REFRESH_PERIOD = 60_000;

/** The slowest scheme's time is multiplied by this factor, in case the machine is busy. */
const CHECK_TIME_FACTOR = 2;
const MIN_CHECK_TIME = 50;

/** Milliseconds. */
const MAX_WAIT = 10_000;

export function createImportedHashChecks({
  database,
  now,
  wait,
  monotonic = () => performance.now(),
}: ImportedHashServices): ImportedHashChecks {
  const costs = new Map<string, number>();
  let schemes: ImportedScheme[] = [];
  let hashes = 0;
  let checkTime = 0;
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | undefined;
  let pending = 0;
  let pendingTime = 0;
  const queue = createKeyedQueue(1, Number.POSITIVE_INFINITY);

  async function refreshSchemes() {
    const listed = await listImportedSchemes(database);
    const slowest = findSlowestSchemes(listed);
    for (const { scheme, example } of slowest)
      if (!costs.has(scheme)) costs.set(scheme, await measureCheckTime(example));
    const longest = Math.max(...slowest.map(({ scheme }) => costs.get(scheme) ?? 0));
    hashes = listed.length === 0 ? 0 : await countImportedHashes(database);
    schemes = listed;
    checkTime = listed.length === 0 ? 0 : Math.ceil(Math.max(MIN_CHECK_TIME, longest * CHECK_TIME_FACTOR));
    refreshedAt = now().getTime();
  }
  async function findCheckTime(stored: string | undefined): Promise<number> {
    // If the list isn't full, an unlisted scheme was imported after the last refresh, so refresh the list early.
    // If the list is full, an early refresh would reveal accounts with unlisted schemes by its duration.
    const isListed =
      stored === undefined ||
      schemes.length >= MAX_SCHEMES ||
      schemes.some(({ scheme }) => stored.startsWith(IMPORTED_PREFIX + scheme));
    if (now().getTime() - refreshedAt >= REFRESH_PERIOD || !isListed) {
      refreshing ??= refreshSchemes().finally(() => {
        refreshing = undefined;
      });
      await refreshing;
    }
    return checkTime;
  }

  return {
    async check({ stored, password, hidesMatch, releaseSlot }) {
      const found = await findCheckTime(stored);
      // `found` is 0 if the last imported hash was replaced concurrently.
      const time = stored === undefined ? found : Math.max(found, MIN_CHECK_TIME);
      if (time === 0) return false;
      if (pendingTime > MAX_WAIT) return 'busy';
      const spellings = listPasswordVariants(password);
      const limit = time * spellings.length;
      pending += 1;
      pendingTime += limit;
      try {
        return await releaseSlot(() =>
          queue(
            '',
            (work) => work(),
            async () => {
              // Always start the thread. Otherwise, its startup time would reveal which accounts have imported hashes.
              await verifyInThread(undefined, '');
              const startedAt = monotonic();
              const matches = await matchesAny(stored, spellings);
              if (matches && !hidesMatch) return true;
              const elapsed = monotonic() - startedAt;
              await wait(limit * Math.max(1, Math.ceil(elapsed / limit)) - elapsed);
              return matches;
            },
          ),
        );
      } finally {
        pending -= 1;
        pendingTime -= limit;
      }
    },
    load: () => ({ checks: pending, hashes }),
  };
}

async function measureCheckTime(stored: string): Promise<number> {
  const password = 'x'.repeat(MAX_PASSWORD_BYTES);
  const first = await verifyInThread(stored, password);
  const second = await verifyInThread(stored, password);
  return Math.min(first.milliseconds, second.milliseconds);
}

/** WordPress adds backslashes to passwords before hashing them. */
const listPasswordVariants = (password: string): string[] => [
  ...new Set([password, normalizeText(password), password.replace(/['"\\]/g, '\\$&')]),
];

async function matchesAny(stored: string | undefined, spellings: string[]): Promise<boolean> {
  for (const spelling of spellings) {
    const isTooLong = Buffer.byteLength(spelling) > MAX_PASSWORD_BYTES;
    if ((await verifyInThread(isTooLong ? undefined : stored, spelling)).matches) return true;
  }
  return false;
}

/** bcrypt ignores everything after 72 bytes, so a longer password can match despite a typo. */
export const canReplaceHash = (stored: string, password: string): boolean =>
  isImportedHash(stored) &&
  !(
    /^\{imported\}\$2[aby]\$/.test(stored) &&
    listPasswordVariants(password).some((spelling) => Buffer.byteLength(spelling) > 72)
  );
