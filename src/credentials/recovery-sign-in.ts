// Signing in by a recovery code alone, where an account has no password (D43). As patient as with passwords, and the same answer for
// every account that has one, has no such code, or is none.

import { householdOf } from '../accounts/limits.ts';
import { CROWDED } from '../accounts/lines.ts';
import { overloaded } from '../oauth/errors.ts';
import { beginSignInAttempt, settleSignInAttempt } from '../store/throttling.ts';
import { emailKey } from '../store/users.ts';
import { recoveryCodeHash } from './recovery-codes.ts';
import { type Origin, type StartedSession, startSession } from './session-start.ts';
import { type Attempting, type AttemptParts, FREE_ATTEMPTS, networkKey, waitAfter } from './sign-in.ts';

/** Nobody's: the same statement runs where there is no account. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

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
  if (recoveryCodeHash(NOBODY, code) === undefined) return undefined;
  const accountKey = sealer.mac('throttling', 'recovery code', emailKey(email));
  const addressKey = networkKey(sealer, address);
  const network = householdOf(address);
  const line = accountKey.toString('base64');
  const begun = await beginSignInAttempt(
    database,
    { email, ownKey: accountKey, emptyKey: accountKey, addressKey, known: [] },
    now(),
  );
  const delay = Math.max(
    waitAfter(begun.byAccount, FREE_ATTEMPTS.account),
    waitAfter(begun.byAddress, FREE_ATTEMPTS.network),
  );
  const leave = delay === 0 ? undefined : attempts.hold(line, network);
  try {
    // Where all places are taken it is looked at all the same: nobody finds 80 bits by trying, and strangers keep nobody out.
    if (leave !== undefined) await aside(() => parts.wait(delay));
    const outcome = await attempts.ofAccount(line, aside, async () => {
      const userId = begun.user?.userId ?? NOBODY;
      const codeHash = recoveryCodeHash(userId, code) ?? Buffer.alloc(32);
      const entry = { userId, proof: { by: 'recovery code alone', codeHash }, methods: ['otp'] } as const;
      return startSession(parts, entry, origin, now());
    });
    if (outcome === CROWDED) throw overloaded(2);
    if (outcome !== undefined)
      await settleSignInAttempt(database, { accountKey, addressKey }, outcome.userId, now());
    return outcome;
  } finally {
    leave?.();
  }
}
