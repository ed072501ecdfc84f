// Derives recovery codes and signs users in with them.

import { createHmac } from 'node:crypto';
import { getRateLimitedNetwork } from '../accounts/rate-limits.ts';
import { recoveryCodeDigest } from '../oauth/digests.ts';
import { normalizeEnteredCode } from '../oauth/entered-code.ts';
import { uuidFromHash } from '../oauth/uuid.ts';
import { emailKey } from '../store/emails.ts';
import { NIL_USER_ID } from '../store/nil-user-id.ts';
import { clearSignInAttempt, countAttempt } from '../store/throttling.ts';
import { findUserForSignIn } from '../store/users.ts';
import { FREE_ATTEMPTS, getAttemptDelay } from './attempt-delays.ts';
import { type RequestContext, type StartedSession, startSession } from './session-start.ts';
import { type AttemptContext, type AttemptServices, deriveNetworkKey } from './sign-in.ts';

const CODE_COUNT = 10;
/** 80 bits, at 5 bits per character. */
const CODE_LENGTH = 16;
/** Crockford's base 32. The size divides 256, so random bytes map to characters without bias. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Derives the codes from a seed, so a double submit yields the same codes.
 * @param seed 256 random bits
 */
export const deriveRecoveryCodes = (seed: Buffer): string[] =>
  Array.from({ length: CODE_COUNT }, (_, index) => {
    const bytes = createHmac('sha256', seed)
      .update(`recovery code ${index}`)
      .digest()
      .subarray(0, CODE_LENGTH);
    const characters = Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('');
    return characters.replace(/(.{4})(?=.)/g, '$1-');
  });

const LOOKALIKES: Record<string, string> = { o: '0', i: '1', l: '1' };

/** Returns undefined if the code is malformed. */
export function hashRecoveryCode(userId: string, entered: string): Buffer | undefined {
  const code = normalizeEnteredCode(entered)
    .toLowerCase()
    .replace(/[oil]/g, (character) => LOOKALIKES[character] ?? character);
  const isCode = code.length === CODE_LENGTH && [...code].every((character) => ALPHABET.includes(character));
  return isCode ? recoveryCodeDigest(userId, code) : undefined;
}

export const hashRecoveryCodes = (userId: string, codes: readonly string[]): Buffer[] =>
  codes.flatMap((code) => hashRecoveryCode(userId, code) ?? []);

export async function signInWithRecoveryCode(
  services: AttemptServices,
  { email, code }: { email: string; code: string },
  { ip, withoutSlot }: AttemptContext,
  request: RequestContext,
  now: () => Date,
): Promise<StartedSession | undefined> {
  const { database, sealer, attempts } = services;
  // Malformed codes don't count as attempts.
  if (hashRecoveryCode(NIL_USER_ID, code) === undefined) return undefined;
  const accountKey = uuidFromHash(sealer.mac('throttling', 'recovery code', emailKey(email)));
  const networkKey = deriveNetworkKey(sealer, ip);
  const network = getRateLimitedNetwork(ip);
  const [user, accountAttempts, networkAttempts] = await Promise.all([
    findUserForSignIn(database, email),
    countAttempt(database, accountKey, now()),
    countAttempt(database, networkKey, now()),
  ]);
  const delay = Math.max(
    getAttemptDelay(accountAttempts.before, FREE_ATTEMPTS.account),
    getAttemptDelay(networkAttempts.before, FREE_ATTEMPTS.network),
  );
  const releaseDelay = delay === 0 ? undefined : attempts.reserveDelay(accountKey, network);
  try {
    // If no slot is free, the attempt isn't delayed, because accounts are never locked (ADR 4). An 80-bit code can't be
    // guessed.
    if (releaseDelay !== undefined) await withoutSlot(() => services.wait(delay));
    const outcome = await attempts.perAccount(accountKey, withoutSlot, async () => {
      const userId = user?.userId ?? NIL_USER_ID; // so that the same SQL statements run for unknown email addresses
      const codeHash = hashRecoveryCode(userId, code) ?? Buffer.alloc(32);
      const proof = { by: 'recovery code', passwordHash: null, codeHash } as const;
      const authenticated = { userId, proof, methods: ['otp'] } as const;
      return startSession(services, authenticated, request, now());
    });
    if (outcome !== undefined) await clearSignInAttempt(database, { accountKey, networkKey }, outcome.userId);
    return outcome;
  } finally {
    releaseDelay?.();
  }
}
