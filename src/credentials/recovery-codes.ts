// Recovery codes: ten codes, each valid once, and signing in with one.

import { createHmac } from 'node:crypto';
import { householdOf } from '../accounts/limits.ts';
import { recoveryCodeDigest } from '../oauth/digests.ts';
import { readTypedCode } from '../oauth/typed-code.ts';
import { hashUuid } from '../oauth/uuid.ts';
import { emailKey } from '../store/emails.ts';
import { NO_USER } from '../store/no-user.ts';
import { countAttempt, settleSignInAttempt } from '../store/throttling.ts';
import { findUserForSignIn } from '../store/users.ts';
import { type Origin, type StartedSession, startSession } from './session-start.ts';
import { type Attempting, type AttemptParts, FREE_ATTEMPTS, networkKeyOf, waitAfter } from './sign-in.ts';

const COUNT = 10;
/** Sixteen letters of five bits each: 80 bits. */
const LENGTH = 16;
/** Crockford's base 32, which has no i, l, o and u; a byte falls on each of them equally often. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** The codes that a form makes, in groups of four: the same if it is sent twice. @param seed 256 secret bits of the form */
export const recoveryCodesOf = (seed: Buffer): string[] =>
  Array.from({ length: COUNT }, (_, index) => {
    const bytes = createHmac('sha256', seed).update(`recovery code ${index}`).digest().subarray(0, LENGTH);
    const letters = Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('');
    return letters.replace(/(.{4})(?=.)/g, '$1-');
  });

const MISREAD: Record<string, string> = { o: '0', i: '1', l: '1' };

/** What is kept of a code, however it was typed; undefined where it is none. */
export function recoveryCodeHash(userId: string, typed: string): Buffer | undefined {
  const code = readTypedCode(typed)
    .toLowerCase()
    .replace(/[oil]/g, (letter) => MISREAD[letter] ?? letter);
  const isCode = code.length === LENGTH && [...code].every((letter) => ALPHABET.includes(letter));
  return isCode ? recoveryCodeDigest(userId, code) : undefined;
}

export const hashesOf = (userId: string, codes: readonly string[]): Buffer[] =>
  codes.flatMap((code) => recoveryCodeHash(userId, code) ?? []);

/** @returns the session; undefined where address and code do not go together */
export async function signInByRecoveryCode(
  parts: AttemptParts,
  { email, code }: { email: string; code: string },
  { address, aside }: Attempting,
  origin: Origin,
  now: () => Date,
): Promise<StartedSession | undefined> {
  const { database, sealer, attempts } = parts;
  // What can't be a code is no attempt.
  if (recoveryCodeHash(NO_USER, code) === undefined) return undefined;
  const accountKey = hashUuid(sealer.mac('throttling', 'recovery code', emailKey(email)));
  const networkKey = networkKeyOf(sealer, address);
  const network = householdOf(address);
  const [user, ofAccount, ofNetwork] = await Promise.all([
    findUserForSignIn(database, email),
    countAttempt(database, accountKey, now()),
    countAttempt(database, networkKey, now()),
  ]);
  const delay = Math.max(
    waitAfter(ofAccount.before, FREE_ATTEMPTS.account),
    waitAfter(ofNetwork.before, FREE_ATTEMPTS.network),
  );
  const leave = delay === 0 ? undefined : attempts.hold(accountKey, network);
  try {
    // Where all places are taken it is looked at all the same: nobody finds 80 bits by trying, and strangers keep nobody out.
    if (leave !== undefined) await aside(() => parts.wait(delay));
    const outcome = await attempts.ofAccount(accountKey, aside, async () => {
      const userId = user?.userId ?? NO_USER; // the same statement runs without an account
      const codeHash = recoveryCodeHash(userId, code) ?? Buffer.alloc(32);
      const proof = { by: 'recovery code', passwordHash: null, codeHash } as const;
      const entry = { userId, proof, methods: ['otp'] } as const;
      return startSession(parts, entry, origin, now());
    });
    if (outcome !== undefined)
      await settleSignInAttempt(database, { accountKey, networkKey }, outcome.userId);
    return outcome;
  } finally {
    leave?.();
  }
}
