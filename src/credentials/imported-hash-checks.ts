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
import { findSlowest } from './imported-hash-costs.ts';
import { verifyInThread } from './imported-hash-thread.ts';

export interface ImportedHashServices {
  database: Database;
  now: () => Date;
  wait: (milliseconds: number) => Promise<void>;
  /** Monotonic time in milliseconds. */
  monotonic?: () => number;
}

interface ImportedHashCheck {
  /** Undefined if the account has no imported hash. The check then fails after the same time as any other check. */
  stored: string | undefined;
  password: string;
  /** Whether a match must take as long as a mismatch so that the response time doesn't reveal the match. */
  hidesMatch: boolean;
  releaseSlot: ReleaseSlot;
}

export interface ImportedHashChecks {
  /** @returns `busy` if earlier checks, for all accounts together, would take too long */
  check(check: ImportedHashCheck): Promise<boolean | 'busy'>;
  /** The number of running and waiting checks, and the number of imported hashes at the last count. */
  load(): { checks: number; hashes: number };
}

export const isImportedHash = (stored: string): boolean => stored.startsWith(IMPORTED_PREFIX);

/** Maximum length of a password that is checked against an imported hash, in bytes. Limits the time that phpass takes. */
const MAX_PASSWORD_BYTES = 256;

/** How long the list of imported hash schemes is cached, in milliseconds. */
const REFRESH_PERIOD = 60_000;

/** A failed check takes the time of the slowest scheme multiplied by this factor, to allow for a busy machine. */
const MARGIN = 2;
const MIN_CHECK_TIME = 50;

/** Maximum time that a check may wait for earlier checks, in milliseconds. */
const MAX_WAIT = 10_000;

export function createImportedHashChecks({
  database,
  now,
  wait,
  monotonic = () => performance.now(),
}: ImportedHashServices): ImportedHashChecks {
  /** Time that the worker thread takes to verify a hash, by scheme, in milliseconds. */
  const costs = new Map<string, number>();
  let schemes: ImportedScheme[] = [];
  let hashes = 0;
  let checkTime = 0;
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | undefined;
  let pending = 0;
  /** Total time of the pending checks, in milliseconds. */
  let pendingTime = 0;
  const queue = createKeyedQueue(1, Number.POSITIVE_INFINITY);

  async function refresh() {
    const listed = await listImportedSchemes(database);
    const slowest = findSlowest(listed);
    for (const { scheme, example } of slowest)
      if (!costs.has(scheme)) costs.set(scheme, await measure(example));
    const longest = Math.max(...slowest.map(({ scheme }) => costs.get(scheme) ?? 0));
    hashes = listed.length === 0 ? 0 : await countImportedHashes(database);
    schemes = listed;
    checkTime = listed.length === 0 ? 0 : Math.ceil(Math.max(MIN_CHECK_TIME, longest * MARGIN));
    refreshedAt = now().getTime();
  }
  /** Returns the time that a failed check takes, or 0 if the service has no imported hashes. */
  async function findCheckTime(stored: string | undefined): Promise<number> {
    // If the scheme isn't listed, it may have been imported since the last refresh, so refresh the list early. Don't
    // refresh a full list because it may still lack the scheme, and the delay would reveal which accounts use it.
    const isListed =
      stored === undefined ||
      schemes.length >= MAX_SCHEMES ||
      schemes.some(({ scheme }) => stored.startsWith(IMPORTED_PREFIX + scheme));
    if (now().getTime() - refreshedAt >= REFRESH_PERIOD || !isListed) {
      refreshing ??= refresh().finally(() => {
        refreshing = undefined;
      });
      await refreshing;
    }
    return checkTime;
  }

  return {
    async check({ stored, password, hidesMatch, releaseSlot }) {
      const found = await findCheckTime(stored);
      // `found` is 0 if a concurrent sign-in has just replaced the last imported hash.
      const time = stored === undefined ? found : Math.max(found, MIN_CHECK_TIME);
      if (time === 0) return false;
      if (pendingTime > MAX_WAIT) return 'busy';
      const spellings = listSpellings(password);
      const limit = time * spellings.length;
      pending += 1;
      pendingTime += limit;
      try {
        return await releaseSlot(() =>
          queue(
            '',
            (work) => work(),
            async () => {
              // Start the thread even if the account has no imported hash so that the startup time doesn't reveal which
              // accounts have one.
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

async function measure(stored: string): Promise<number> {
  const password = 'x'.repeat(MAX_PASSWORD_BYTES);
  const first = await verifyInThread(stored, password);
  const second = await verifyInThread(stored, password);
  return Math.min(first.milliseconds, second.milliseconds);
}

/**
 * Returns the forms of a password that other systems may have hashed: as entered, in NFC, and with backslashes before
 * quotation marks and backslashes. WordPress adds these backslashes to form fields, including passwords.
 */
const listSpellings = (password: string): string[] => [
  ...new Set([password, normalizeText(password), password.replace(/['"\\]/g, '\\$&')]),
];

async function matchesAny(stored: string | undefined, spellings: string[]): Promise<boolean> {
  for (const spelling of spellings) {
    const isTooLong = Buffer.byteLength(spelling) > MAX_PASSWORD_BYTES;
    if ((await verifyInThread(isTooLong ? undefined : stored, spelling)).matches) return true;
  }
  return false;
}

/**
 * Whether a hash is imported and may be replaced after a sign-in. A bcrypt hash is kept if a form of the password is
 * longer than 72 bytes. bcrypt ignores the rest, so the user may have mistyped it.
 */
export const isReplaceable = (stored: string, password: string): boolean =>
  isImportedHash(stored) &&
  !(
    /^\{imported\}\$2[aby]\$/.test(stored) &&
    listSpellings(password).some((spelling) => Buffer.byteLength(spelling) > 72)
  );
