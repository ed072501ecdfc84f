// The second factor: the code of the app or a recovery code, tried as patiently as passwords are, and never locked (D39, D40).
import { announceDanger } from '../accounts/announcements.ts';
import { CROWDED } from '../accounts/lines.ts';
import { overloaded } from '../oauth/errors.ts';
import type { Sealer } from '../oauth/seal.ts';
import {
  acceptStep,
  type CheckedFactors,
  type FoundCode,
  findCheckedFactors,
  useRecoveryCode,
} from '../store/second-factors.ts';
import type { Proof } from '../store/session-starts.ts';
import { stepSessionUp } from '../store/sessions.ts';
import { countAttempt, forgetAttempts } from '../store/sign-in-failures.ts';
import { openSecret, stepOf } from './authenticator-app.ts';
import { recoveryCodeHash } from './recovery-codes.ts';
import { type Origin, type StartedSession, startSession } from './session-start.ts';
import { type Attempting, type AttemptParts, FREE_ATTEMPTS, waitAfter } from './sign-in.ts';

/** What the password half of a sign-in is known by later on: nothing from which the hash could be told. */
export const passwordMark = (sealer: Sealer, passwordHash: string): string =>
  sealer.mac('half-signed-in', passwordHash).toString('base64url');

/**
 * Finishes a sign-in whose password was right.
 * @param mark of that password: another one since then ends what was begun
 * @returns the session; `wrong` where the code is none, or was used before; `over` where it has to begin anew
 * @throws OAuthError `temporarily_unavailable` when too many wait
 */
export async function finishSignIn(
  parts: AttemptParts,
  { userId, mark, code }: { userId: string; mark: string; code: string },
  from: Attempting,
  origin: Origin,
  now: () => Date,
): Promise<StartedSession | 'wrong' | 'over'> {
  const outcome = await tryCode(parts, { userId, code }, from, now, async (found, { passwordHash }) => {
    if (passwordHash === null || passwordMark(parts.sealer, passwordHash) !== mark) return 'over';
    const proof: Proof = { ...found, passwordHash };
    const session = await startSession(parts, { userId, proof, methods: ['pwd', 'otp'] }, origin, now());
    return session ?? 'wrong';
  });
  return outcome;
}

/**
 * Adds a code to what a session has shown, in place.
 * @returns `wrong` where the code is none, or was used before; `over` where the account is suspended or gone
 */
export const stepUp = (
  parts: AttemptParts,
  { userId, idHash, code }: { userId: string; idHash: Buffer; code: string },
  from: Attempting,
  now: () => Date,
): Promise<'done' | 'wrong' | 'over'> =>
  tryCode(parts, { userId, code }, from, now, async (found) =>
    (await stepSessionUp(parts.database, { userId, idHash }, found, now())) ? 'done' : 'wrong',
  );

/** Whether a code is good for confirming who is signed in: it is used up by it. */
export async function checkCode(
  parts: AttemptParts,
  attempt: { userId: string; code: string },
  from: Attempting,
  now: () => Date,
): Promise<boolean> {
  const { userId } = attempt;
  const used = await tryCode(parts, attempt, from, now, async (found) => {
    const isUsed =
      found.by === 'app'
        ? await acceptStep(parts.database, userId, found.step)
        : await useRecoveryCode(parts.database, userId, found.codeHash, now());
    return isUsed ? 'used' : 'wrong';
  });
  return used === 'used';
}

/** Tries a code: counted as a wrong one until it was right, and the later, the longer it takes. */
async function tryCode<Right extends object | string>(
  parts: AttemptParts,
  { userId, code }: { userId: string; code: string },
  { address, aside }: Attempting,
  now: () => Date,
  use: (found: FoundCode, factors: CheckedFactors) => Promise<Right | 'wrong'>,
): Promise<Right | 'wrong' | 'over'> {
  const { database, sealer, attempts } = parts;
  const key = sealer.mac('second-factor', userId);
  const line = key.toString('base64');
  const before = await countAttempt(database, key, now());
  const delay = waitAfter(before, FREE_ATTEMPTS.account);
  const leave = delay === 0 ? () => {} : attempts.hold(line, `${line} ${address}`);
  if (leave === undefined) return 'wrong'; // so many are held back that this one would be, too
  try {
    if (delay > 0) await aside(() => parts.wait(delay));
    const outcome = await attempts.ofAccount(line, aside, async () => {
      const factors = await findCheckedFactors(database, userId);
      if (factors === undefined || factors.suspended) return 'over';
      const found = read(sealer, userId, code, factors, now());
      return found === undefined ? 'wrong' : use(found, factors);
    });
    if (outcome === CROWDED) throw overloaded(2);
    if (outcome !== 'wrong' && outcome !== 'over') await forgetAttempts(database, key);
    // Whoever gets here knows the password: the owner should hear of it.
    if (outcome === 'wrong' && before === FREE_ATTEMPTS.account)
      await announceDanger(parts, 'codes_tried', userId, address, now()).catch((error) =>
        parts.mailer.lost(error),
      );
    return outcome;
  } finally {
    leave();
  }
}

/** Which code it is, by its form. */
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
