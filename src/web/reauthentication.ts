// Re-authentication: forms that change credentials require a recent sign-in (ADR 13, ADR 14).
import type { FastifyRequest } from 'fastify';
import { mayReauthenticate } from '../accounts/rate-limits.ts';
import { reauthenticateWithCode } from '../credentials/mfa-codes.ts';
import { reauthenticateWithPasskey } from '../credentials/passkeys.ts';
import { hashRecoveryCode } from '../credentials/recovery-codes.ts';
import { type AttemptContext, checkPassword, type VerifiedUser } from '../credentials/sign-in.ts';
import { getRelyingParty, logPasskeyRejection } from '../credentials/webauthn.ts';
import { withoutSlot } from '../http/overload.ts';
import { readForm } from '../http/parameters.ts';
import { clientNetwork } from '../http/rate-limit.ts';
import type { Services } from '../http/services.ts';
import {
  type AuthenticationMethod,
  hasLocalMfa,
  listAvailableMethods,
} from '../oauth/authentication-methods.ts';
import { RECENT_SIGN_IN_TTL } from '../oauth/lifetimes.ts';
import { findSession, recordReauthentication, type Session } from '../store/sessions.ts';
import { isRejection, type Rejection } from './form-errors.ts';
import { signedInUser } from './session-guard.ts';

/** With MFA, the password alone isn't sufficient for re-authentication. */
export const hasMfa = (
  session: Pick<Session, 'hasPassword' | 'requiresTotp' | 'passkeyMethods' | 'methods'>,
): boolean => listAvailableMethods(session).length > 0;

const PASSWORD_AND_PASSKEY_METHODS: readonly AuthenticationMethod[] = ['pwd', 'hwk', 'swk'];

/** Whether the user has presented all of the account's factors within the last 15 minutes. */
export const isRecentlyAuthenticated = (session: Session, now: Date): boolean =>
  now.getTime() - session.allFactorsAt.getTime() <= RECENT_SIGN_IN_TTL * 1000 &&
  // A sign-in at the provider may be hours old, so it doesn't replace the password.
  (!session.hasPassword || session.methods.some((method) => PASSWORD_AND_PASSKEY_METHODS.includes(method))) &&
  (!hasMfa(session) ||
    hasLocalMfa(session.methods) ||
    // After using a recovery code, a user without a password may create a new passkey.
    (!session.hasPassword && session.methods.includes('otp')));

export type Authentication = Readonly<Pick<Session, 'methods' | 'allFactorsAt'>>;

/**
 * Re-authenticates the user and updates the session unless the sign-in is recent. The form contains a passkey
 * (`confirmation_passkey`) or the password (`current_password`). With MFA, the password must come with a code
 * (`confirmation_code`).
 * @returns the session's new authentication, or a rejection. `request.user` is not updated.
 * @throws OAuthError `temporarily_unavailable` if attempts are throttled
 */
export async function reauthenticate(
  request: FastifyRequest,
  services: Services,
): Promise<Authentication | Rejection> {
  const user = signedInUser(request);
  if (isRecentlyAuthenticated(user, services.now())) return user;
  const methods = await verifyFactors(request, services);
  if (isRejection(methods)) {
    // After a double click, the first submission may have used up the code or challenge.
    const session = await findSession(services.database, user, services.now());
    return session !== undefined && isRecentlyAuthenticated(session, services.now()) ? session : methods;
  }
  return { methods: [...methods], allFactorsAt: services.now() };
}

async function verifyFactors(
  request: FastifyRequest,
  services: Services,
): Promise<readonly AuthenticationMethod[] | Rejection> {
  const user = signedInUser(request);
  const form = readForm(request);
  const passkey = form.get('confirmation_passkey');
  if (passkey !== undefined) return verifyPasskey(request, services, passkey);
  const password = form.get('current_password');
  const code = form.get('confirmation_code');
  if (!user.hasPassword) {
    // Without a password, only a recovery code is accepted.
    const isRecoveryCode = code !== undefined && hashRecoveryCode(user.userId, code) !== undefined;
    if (code !== undefined && !isRecoveryCode) return createRejection('confirmation_code', 'codeWrong');
    // This user can re-authenticate only through an identity provider.
    if (code === undefined && user.passkeyMethods.length === 0 && !user.requiresTotp)
      return { errors: [{ text: ({ linkedAccounts }) => linkedAccounts.confirmFirst }] };
    return verifyCode(request, services, code, ['otp']);
  }
  if (password === undefined) return createRejection('current_password', 'passwordMissing');
  if (hasMfa(user) && code === undefined) return createRejection('confirmation_code', 'codeMissing');
  if ((await checkCurrentPassword(request, services, password)) === undefined)
    return createRejection('current_password', 'passwordWrong');
  if (hasMfa(user)) return verifyCode(request, services, code, ['pwd', 'otp']);
  await recordReauthentication(services.database, user, ['pwd'], services.now());
  return ['pwd'];
}

const createRejection = (
  field: 'confirmation_passkey' | 'current_password' | 'confirmation_code',
  problem: 'passwordMissing' | 'passwordWrong' | 'codeMissing' | 'codeWrong' | 'codesTried' | 'passkeyWrong',
): Rejection => ({ errors: [{ field, text: ({ formErrors }) => formErrors[problem] }] });

async function verifyPasskey(
  request: FastifyRequest,
  services: Services,
  response: string,
): Promise<AuthenticationMethod[] | Rejection> {
  const { userId, idHash, holder } = signedInUser(request);
  const rp = getRelyingParty(services.config);
  const user = { userId, idHash, ip: clientNetwork(request) };
  const outcome =
    rp === undefined
      ? { refused: 'passkeys require a host name, not an IP address' }
      : await reauthenticateWithPasskey(services, user, { rp, response, holders: [holder] }, services.now());
  if (typeof outcome === 'string') return [outcome];
  logPasskeyRejection(request.log, outcome);
  return createRejection('confirmation_passkey', 'passkeyWrong');
}

/** @param methods to add to the session */
async function verifyCode(
  request: FastifyRequest,
  services: Services,
  code: string | undefined,
  methods: AuthenticationMethod[],
): Promise<AuthenticationMethod[] | Rejection> {
  if (code === undefined) return createRejection('confirmation_code', 'codeMissing');
  const { userId, idHash } = signedInUser(request);
  const checked = await reauthenticateWithCode(
    services,
    { userId, idHash, code, methods },
    createAttemptContext(request),
    services.now,
  );
  if (checked === 'used') return methods;
  return createRejection('confirmation_code', checked === 'wrong' ? 'codeWrong' : 'codesTried');
}

const createAttemptContext = (request: FastifyRequest): AttemptContext => ({
  ip: clientNetwork(request),
  known: { session: signedInUser(request).idHash },
  withoutSlot: (wait) => withoutSlot(request, wait),
});

/**
 * @returns the user and the matching hash, or undefined for a wrong password or too many attempts
 * @throws OAuthError `temporarily_unavailable` if attempts are throttled
 */
export async function checkCurrentPassword(
  request: FastifyRequest,
  services: Services,
  password: string,
): Promise<VerifiedUser | undefined> {
  const { userId, email, idHash } = signedInUser(request);
  if (!(await mayReauthenticate(services, idHash, services.now()))) return undefined;
  const user = await checkPassword(
    services,
    { email, password },
    createAttemptContext(request),
    services.now,
  );
  return user?.userId === userId ? user : undefined;
}
