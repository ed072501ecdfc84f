// Re-authentication: what a form that touches credentials needs where the sign-in is not recent.
import type { FastifyRequest } from 'fastify';
import { mayConfirm } from '../accounts/limits.ts';
import { confirmByPasskey } from '../credentials/passkeys.ts';
import { recoveryCodeHash } from '../credentials/recovery-codes.ts';
import { checkCode } from '../credentials/second-factor.ts';
import { type Attempting, checkPassword, type UserWithPassword } from '../credentials/sign-in.ts';
import { logPasskeyRefusal, relyingPartyOf } from '../credentials/webauthn.ts';
import { withoutSlot } from '../http/overload.ts';
import { formOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { addressOf } from '../http/rate-limit.ts';
import { isStrong, type Method, meansOf } from '../oauth/authentication-methods.ts';
import { RECENT_SIGN_IN } from '../oauth/lifetimes.ts';
import { findSession, renewAuthTime, type Session } from '../store/sessions.ts';
import type { Refusal } from './faults.ts';
import { memberOf } from './member.ts';

/** Whether an account has MFA, so that the password alone does not re-authenticate. */
export const hasMore = (session: Pick<Session, 'hasPassword' | 'asksForCode' | 'passkeyMethods'>): boolean =>
  meansOf(session).length > 0;

/** Whether the user showed all factors of the account within the last 15 minutes (ADR 13, ADR 14). */
export const isRecent = (session: Session, now: Date): boolean =>
  now.getTime() - session.fullyProvenAt.getTime() <= RECENT_SIGN_IN * 1000 &&
  (!hasMore(session) ||
    isStrong(session.methods) ||
    // A user without a password who has lost their passkeys creates another after a recovery code.
    (!session.hasPassword && session.methods.includes('otp')));

/** What a session has shown, and when all that its account has was shown last. */
export type Authentication = Readonly<Pick<Session, 'methods' | 'fullyProvenAt'>>;

/**
 * Re-authenticates the signed-in user, unless the sign-in is recent. The form brings a passkey in `confirmation_passkey`, or the
 * password in `current_password` and, with MFA, a code in `confirmation_code`. That counts as a new sign-in of the session.
 * @returns what the session has shown from now on, or why not. `request.member` stays as it was.
 * @throws OAuthError `temporarily_unavailable` as signing in does
 */
export async function reauthenticate(
  request: FastifyRequest,
  parts: Parts,
): Promise<Authentication | Refusal> {
  const member = memberOf(request);
  if (isRecent(member, parts.now())) return member;
  const methods = await methodsShown(request, parts);
  if ('faults' in methods) {
    // The other half of a double click may have used the code or the passkey's challenge for this session.
    const session = await findSession(parts.database, member, parts.now());
    return session !== undefined && isRecent(session, parts.now()) ? session : methods;
  }
  return { methods: [...methods], fullyProvenAt: parts.now() };
}

/** Checks what the form brings, and renews the session by it. */
async function methodsShown(request: FastifyRequest, parts: Parts): Promise<readonly Method[] | Refusal> {
  const member = memberOf(request);
  const form = formOf(request);
  const passkey = form.get('confirmation_passkey');
  if (passkey !== undefined) return byPasskey(request, parts, passkey);
  const password = form.get('current_password');
  const code = form.get('confirmation_code');
  if (!member.hasPassword) {
    // A code of the app alone does not re-authenticate.
    const isRecoveryCode = code !== undefined && recoveryCodeHash(member.userId, code) !== undefined;
    if (code !== undefined && !isRecoveryCode) return refused('confirmation_code', 'codeWrong');
    return byCode(request, parts, code, ['otp']);
  }
  if (password === undefined) return refused('current_password', 'passwordMissing');
  if (hasMore(member) && code === undefined) return refused('confirmation_code', 'codeMissing');
  if ((await ownPassword(request, parts, password)) === undefined)
    return refused('current_password', 'passwordWrong');
  if (hasMore(member)) return byCode(request, parts, code, ['pwd', 'otp']);
  await renewAuthTime(parts.database, member, ['pwd'], parts.now());
  return ['pwd'];
}

const refused = (
  field: 'confirmation_passkey' | 'current_password' | 'confirmation_code',
  problem: 'passwordMissing' | 'passwordWrong' | 'codeMissing' | 'codeWrong' | 'codesTried' | 'passkeyWrong',
): Refusal => ({ faults: [{ field, text: ({ problems }) => problems[problem] }] });

async function byPasskey(request: FastifyRequest, parts: Parts, answer: string): Promise<Method[] | Refusal> {
  const { userId, idHash, holder } = memberOf(request);
  const rp = relyingPartyOf(parts.config);
  const user = { userId, idHash, address: addressOf(request) };
  const method =
    rp === undefined
      ? { refused: 'no passkeys at an IP address' }
      : await confirmByPasskey(parts, user, { rp, answer, holders: [holder] }, parts.now());
  if (typeof method === 'string') return [method];
  logPasskeyRefusal(request.log, method);
  return refused('confirmation_passkey', 'passkeyWrong');
}

/** Uses up a code of the app, or a recovery code. @param methods what it shows */
async function byCode(
  request: FastifyRequest,
  parts: Parts,
  code: string | undefined,
  methods: Method[],
): Promise<Method[] | Refusal> {
  if (code === undefined) return refused('confirmation_code', 'codeMissing');
  const { userId, idHash } = memberOf(request);
  const checked = await checkCode(parts, { userId, idHash, code, methods }, attemptIn(request), parts.now);
  if (checked === 'used') return methods;
  return refused('confirmation_code', checked === 'wrong' ? 'codeWrong' : 'codesTried');
}

const attemptIn = (request: FastifyRequest): Attempting => ({
  address: addressOf(request),
  known: { session: memberOf(request).idHash },
  aside: (wait) => withoutSlot(request, wait),
});

/**
 * Checks the password of the signed-in user.
 * @returns the account and the hash that it was verified against, or undefined
 * @throws OAuthError `temporarily_unavailable` as signing in does
 */
export async function ownPassword(
  request: FastifyRequest,
  parts: Parts,
  password: string,
): Promise<UserWithPassword | undefined> {
  const { userId, email, idHash } = memberOf(request);
  if (!(await mayConfirm(parts, idHash, parts.now()))) return undefined;
  const user = await checkPassword(parts, { email, password }, attemptIn(request), parts.now);
  return user?.userId === userId ? user : undefined;
}
