// Checks authenticator app codes and recovery codes.
// Attempts are throttled, but accounts are never locked.

import { notify } from '../accounts/notifications.ts';
import type { AuthenticationMethod } from '../oauth/authentication-methods.ts';
import { parseDigits } from '../oauth/entered-code.ts';
import type { Sealer } from '../oauth/seal.ts';
import { uuidFromHash } from '../oauth/uuid.ts';
import { rollback } from '../store/database.ts';
import {
  acceptTotpStep,
  type FactorSecrets,
  findFactorSecrets,
  useRecoveryCode,
  type VerifiedCode,
} from '../store/mfa-factors.ts';
import { recordReauthentication, recordStepUp, type SessionKey } from '../store/sessions.ts';
import { clearAttempts, countAttempt, returnToRateLimit, takeFromRateLimit } from '../store/throttling.ts';
import { knowsBrowser } from '../store/users.ts';
import { FREE_ATTEMPTS, getAttemptDelay } from './attempt-delays.ts';
import { APP_CODE_LENGTH, findTimeStep, openSecret } from './authenticator-app.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import {
  type AuthenticatedUser,
  type RequestContext,
  type StartedSession,
  startSession,
} from './session-start.ts';
import type { AttemptContext, AttemptServices, FirstFactor } from './sign-in.ts';

/** Returns a digest that shows whether the password was changed between the two steps of a sign-in. */
const digestPasswordHash = (sealer: Sealer, passwordHash: string): string =>
  sealer.mac('half-signed-in', passwordHash).toString('base64url');

/** The first factor, sealed until the second factor is verified. A password change invalidates it. */
export type SealedFirstFactor = { passwordDigest: string } | Extract<FirstFactor, { identity: unknown }>;

export const toSealedFirstFactor = (sealer: Sealer, factor: FirstFactor): SealedFirstFactor =>
  'identity' in factor ? factor : { passwordDigest: digestPasswordHash(sealer, factor.passwordHash) };

/**
 * Completes a sign-in with an MFA code. The first factor is already verified.
 * @returns `wrong` for a wrong or used code. `tooMany` if the rate limit is reached. `expired` if the user must
 *   sign in again.
 * @throws OAuthError `temporarily_unavailable` if a queue is full
 */
export async function completeMfaSignIn(
  services: AttemptServices,
  { userId, firstFactor, code }: { userId: string; firstFactor: SealedFirstFactor; code: string },
  context: AttemptContext,
  request: RequestContext,
  now: () => Date,
): Promise<StartedSession | 'wrong' | 'tooMany' | 'expired'> {
  return tryCode(services, { userId, code }, context, now, async (verifiedCode, { passwordHash }) => {
    const authenticated = combineFactors(services.sealer, firstFactor, verifiedCode, passwordHash);
    if (authenticated === 'expired') return 'expired';
    const session = await startSession(services, { userId, ...authenticated }, request, now());
    return session ?? 'wrong';
  });
}

function combineFactors(
  sealer: Sealer,
  firstFactor: SealedFirstFactor,
  code: VerifiedCode,
  passwordHash: string | null,
): Omit<AuthenticatedUser, 'userId'> | 'expired' {
  if ('identity' in firstFactor) {
    const { identity, methods, signedInAt } = firstFactor;
    const asserted = { identity, allFactorsAt: signedInAt === undefined ? null : new Date(signedInAt) };
    const proof =
      code.by === 'app'
        ? ({ by: 'provider+app', ...asserted, step: code.step } as const)
        : ({ by: 'provider+recovery code', ...asserted, codeHash: code.codeHash } as const);
    return { proof, methods: [...methods, 'otp'] };
  }
  if (passwordHash === null || digestPasswordHash(sealer, passwordHash) !== firstFactor.passwordDigest)
    return 'expired';
  return { proof: { ...code, passwordHash }, methods: ['pwd', 'otp'] };
}

export const stepUpWithCode = (
  services: AttemptServices,
  { userId, idHash, code }: SessionKey & { code: string },
  context: AttemptContext,
  now: () => Date,
): Promise<'done' | 'wrong' | 'tooMany' | 'expired'> =>
  tryCode(services, { userId, code }, context, now, async (verifiedCode) =>
    (await recordStepUp(services.database, { userId, idHash }, verifiedCode, now())) ? 'done' : 'wrong',
  );

/**
 * Redeems a code and re-authenticates the session in one transaction. If the form is submitted twice, the second
 * request finds the session already re-authenticated.
 */
export async function reauthenticateWithCode(
  services: AttemptServices,
  attempt: SessionKey & { code: string; methods: readonly AuthenticationMethod[] },
  context: AttemptContext,
  now: () => Date,
): Promise<'used' | 'wrong' | 'tooMany'> {
  const { userId, methods } = attempt;
  const outcome = await tryCode(services, attempt, context, now, (verifiedCode) =>
    services.database.transaction(async (transaction) => {
      // Sessions must be locked before users (store/session-locks.ts).
      await recordReauthentication(transaction, attempt, methods, now());
      const isUsed =
        verifiedCode.by === 'app'
          ? await acceptTotpStep(transaction, userId, verifiedCode.step)
          : await useRecoveryCode(transaction, userId, verifiedCode.codeHash, now());
      return isUsed ? 'used' : rollback('wrong');
    }),
  );
  return outcome === 'expired' ? 'wrong' : outcome;
}

/**
 * 10 codes at first, then one every 3 hours: at most 250 codes in 30 days. A guess is correct with a probability of 3
 * in 1,000,000 (ADR 13).
 */
const APP_CODE_LIMIT = { max: 10, period: 30 * 3600, slack: 60 };

/** Every attempt counts as failed until it succeeds. */
async function tryCode<Redeemed extends object | string>(
  services: AttemptServices,
  { userId, code }: { userId: string; code: string },
  { ip, withoutSlot, known }: AttemptContext,
  now: () => Date,
  redeem: (verifiedCode: VerifiedCode, factors: FactorSecrets) => Promise<Redeemed | 'wrong'>,
): Promise<Redeemed | 'wrong' | 'tooMany' | 'expired'> {
  const { database, sealer, attempts } = services;
  const key = uuidFromHash(sealer.mac('throttling', 'second factor', userId));
  const isGuessable = hashRecoveryCode(userId, code) === undefined;
  // Malformed codes don't count as attempts. The user may have entered a password by mistake.
  if (isGuessable && parseDigits(code, APP_CODE_LENGTH) === undefined) return 'wrong';
  // All sessions of an account share one limit, so stolen sessions give no additional guesses.
  const findLimitScope = async () => {
    if ('session' in known) return 'session';
    return (await knowsBrowser(database, userId, known)) ? 'known' : 'unknown';
  };
  const limitKey = uuidFromHash(sealer.mac('limits', 'codes of the app', await findLimitScope(), userId));
  const alertOwner = (kind: 'codes_tried' | 'codes_used_up') =>
    notify(services, { kind, account: userId, ip }, now());
  // Count each attempt before its delay, so at most ten attempts per limit are delayed at a time.
  const remaining = isGuessable
    ? await takeFromRateLimit(database, limitKey, APP_CODE_LIMIT, now())
    : APP_CODE_LIMIT.max;
  if (remaining === undefined) return 'tooMany';
  const { before } = await countAttempt(database, key, now());
  const delay = isGuessable ? getAttemptDelay(before, FREE_ATTEMPTS.account) : 0;
  if (delay > 0) await withoutSlot(() => services.wait(delay));
  const outcome = await attempts.perAccount(key, withoutSlot, async () => {
    const factors = await findFactorSecrets(database, userId);
    if (factors === undefined || factors.suspended) return 'expired';
    const verifiedCode = parseCode(sealer, userId, code, factors, now());
    return verifiedCode === undefined ? 'wrong' : redeem(verifiedCode, factors);
  });
  if (outcome !== 'wrong' && outcome !== 'expired') {
    await clearAttempts(database, key);
    if (isGuessable) await returnToRateLimit(database, limitKey, APP_CODE_LIMIT);
  }
  // Several wrong codes suggest a stolen first factor.
  if (outcome === 'wrong' && remaining === 0) await alertOwner('codes_used_up');
  else if (outcome === 'wrong' && before === FREE_ATTEMPTS.account) await alertOwner('codes_tried');
  return outcome;
}

function parseCode(
  sealer: Sealer,
  userId: string,
  code: string,
  { totpSecret }: FactorSecrets,
  now: Date,
): VerifiedCode | undefined {
  const codeHash = hashRecoveryCode(userId, code);
  if (codeHash !== undefined) return { by: 'recovery code', codeHash };
  const secret = totpSecret === null ? undefined : openSecret(sealer, userId, totpSecret);
  const step = secret === undefined ? undefined : findTimeStep(secret, code, now);
  return step === undefined ? undefined : { by: 'app', step };
}
