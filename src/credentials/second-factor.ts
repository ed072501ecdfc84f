// MFA codes: of the authenticator app, or recovery codes. Wrong ones are throttled, never locked.

import { notify } from '../accounts/notifications.ts';
import type { Method } from '../oauth/authentication-methods.ts';
import type { Sealer } from '../oauth/seal.ts';
import { readDigits } from '../oauth/typed-code.ts';
import { hashUuid } from '../oauth/uuid.ts';
import { rollback } from '../store/database.ts';
import {
  acceptStep,
  type CheckedFactors,
  type FoundCode,
  findCheckedFactors,
  useRecoveryCode,
} from '../store/second-factors.ts';
import type { Proof } from '../store/session-starts.ts';
import { renewAuthTime, type SessionKey, stepSessionUp } from '../store/sessions.ts';
import { countAttempt, forgetAttempts, returnToLimit, takeFromLimit } from '../store/throttling.ts';
import { knowsBrowser } from '../store/users.ts';
import { APP_CODE_LENGTH, openSecret, stepOf } from './authenticator-app.ts';
import { recoveryCodeHash } from './recovery-codes.ts';
import { type Origin, type StartedSession, startSession } from './session-start.ts';
import { type Attempting, type AttemptParts, FREE_ATTEMPTS, waitAfter } from './sign-in.ts';

/** Digest of an accepted password's hash. */
export const passwordMark = (sealer: Sealer, passwordHash: string): string =>
  sealer.mac('half-signed-in', passwordHash).toString('base64url');

/**
 * Finishes a sign-in whose password was right.
 * @param mark digest of that password
 * @returns the session; `wrong` also for a used code; `tooMany` if no codes of the app are checked for a while; `over` if the
 *   sign-in has to start again
 * @throws OAuthError `temporarily_unavailable` when too many wait
 */
export async function finishSignIn(
  parts: AttemptParts,
  { userId, mark, code }: { userId: string; mark: string; code: string },
  from: Attempting,
  origin: Origin,
  now: () => Date,
): Promise<StartedSession | 'wrong' | 'tooMany' | 'over'> {
  const outcome = await tryCode(parts, { userId, code }, from, now, async (found, { passwordHash }) => {
    if (passwordHash === null || passwordMark(parts.sealer, passwordHash) !== mark) return 'over';
    const proof: Proof = { ...found, passwordHash };
    const session = await startSession(parts, { userId, proof, methods: ['pwd', 'otp'] }, origin, now());
    return session ?? 'wrong';
  });
  return outcome;
}

/** Adds a code to what a session has shown. @returns as `finishSignIn`; `over` if the account is suspended or gone */
export const stepUp = (
  parts: AttemptParts,
  { userId, idHash, code }: SessionKey & { code: string },
  from: Attempting,
  now: () => Date,
): Promise<'done' | 'wrong' | 'tooMany' | 'over'> =>
  tryCode(parts, { userId, code }, from, now, async (found) =>
    (await stepSessionUp(parts.database, { userId, idHash }, found, now())) ? 'done' : 'wrong',
  );

/** Uses up a code to re-authenticate a session, in one transaction, so that a double click sees the renewed session. */
export async function checkCode(
  parts: AttemptParts,
  attempt: SessionKey & { code: string; methods: readonly Method[] },
  from: Attempting,
  now: () => Date,
): Promise<'used' | 'wrong' | 'tooMany'> {
  const { userId, methods } = attempt;
  const outcome = await tryCode(parts, attempt, from, now, (found) =>
    parts.database.transaction(async (transaction) => {
      // Sessions are locked before users (store/session-locks.ts).
      await renewAuthTime(transaction, attempt, methods, now());
      const isUsed =
        found.by === 'app'
          ? await acceptStep(transaction, userId, found.step)
          : await useRecoveryCode(transaction, userId, found.codeHash, now());
      return isUsed ? 'used' : rollback('wrong');
    }),
  );
  return outcome === 'over' ? 'wrong' : outcome;
}

/**
 * Codes of the app that are checked: ten at once and one more every three hours, so 250 in 30 days, each right by 3 in
 * 1,000,000 (ADR 13).
 */
const APP_CODES = { max: 10, period: 30 * 3600, slack: 60 };

/** Tries a code. It counts as wrong until it was right, and each attempt takes longer. */
async function tryCode<Right extends object | string>(
  parts: AttemptParts,
  { userId, code }: { userId: string; code: string },
  { address, aside, known }: Attempting,
  now: () => Date,
  use: (found: FoundCode, factors: CheckedFactors) => Promise<Right | 'wrong'>,
): Promise<Right | 'wrong' | 'tooMany' | 'over'> {
  const { database, sealer, attempts } = parts;
  const key = hashUuid(sealer.mac('throttling', 'second factor', userId));
  const guessable = recoveryCodeHash(userId, code) === undefined;
  // A password typed here by mistake is no attempt.
  if (guessable && readDigits(code, APP_CODE_LENGTH) === undefined) return 'wrong';
  // All sessions share one bound, so that stealing several gives no more guesses.
  const whereTried = async () => {
    if ('session' in known) return 'member';
    return (await knowsBrowser(database, userId, known)) ? 'home' : 'strange';
  };
  const bound = hashUuid(sealer.mac('limits', 'codes of the app', await whereTried(), userId));
  const tell = (what: 'codes_tried' | 'codes_used_up') =>
    notify(parts, { kind: what, account: userId, address }, now());
  // Only codes that are checked are counted, so at most ten wait at a time.
  const left = guessable ? await takeFromLimit(database, bound, APP_CODES, now()) : APP_CODES.max;
  if (left === undefined) return 'tooMany';
  const { before } = await countAttempt(database, key, now());
  // Recovery codes have 80 bits, so they need no delay.
  const delay = guessable ? waitAfter(before, FREE_ATTEMPTS.account) : 0;
  if (delay > 0) await aside(() => parts.wait(delay));
  const outcome = await attempts.ofAccount(key, aside, async () => {
    const factors = await findCheckedFactors(database, userId);
    if (factors === undefined || factors.suspended) return 'over';
    const found = read(sealer, userId, code, factors, now());
    return found === undefined ? 'wrong' : use(found, factors);
  });
  if (outcome !== 'wrong' && outcome !== 'over') {
    await forgetAttempts(database, key);
    if (guessable) await returnToLimit(database, bound, APP_CODES);
  }
  // The password was right.
  if (outcome === 'wrong' && left === 0) await tell('codes_used_up');
  else if (outcome === 'wrong' && before === FREE_ATTEMPTS.account) await tell('codes_tried');
  return outcome;
}

function read(
  sealer: Sealer,
  userId: string,
  code: string,
  { totpSecret }: CheckedFactors,
  now: Date,
): FoundCode | undefined {
  const codeHash = recoveryCodeHash(userId, code);
  if (codeHash !== undefined) return { by: 'recovery code', codeHash };
  const secret = totpSecret === null ? undefined : openSecret(sealer, userId, totpSecret);
  const step = secret === undefined ? undefined : stepOf(secret, code, now);
  return step === undefined ? undefined : { by: 'app', step };
}
