// Sign-in with an emailed code, required in unknown browsers after many wrong passwords (ADR 4).

import { maySendSignInCodeTo } from '../accounts/rate-limits.ts';
import { parseUserAgent } from '../accounts/user-agent.ts';
import type { EmailComposer } from '../mail/delivery.ts';
import { issueToken, type MailServices } from '../mail/links.ts';
import type { DeferredSignInEmail } from '../mail/outbox-content.ts';
import { findActiveContact, verifyEmail } from '../store/credentials.ts';
import { NIL_USER_ID } from '../store/nil-user-id.ts';
import { type LiveToken, useCode } from '../store/one-time-tokens.ts';
import { findUserForSignIn, type UserForSignIn } from '../store/users.ts';
import { checkEmailCode, type EnteredCode } from './email-code.ts';
import {
  authenticatedByPassword,
  findStartedSession,
  type RequestContext,
  type SessionServices,
  type StartedSession,
  startSession,
} from './session-start.ts';
import { deriveNetworkKey, PendingMfaSignIn } from './sign-in.ts';

/**
 * Requests a code that works only in this browser. A deferred email is stored for a wrong password too, so the
 * response is the same.
 */
export const requestSignInEmail = (
  services: Pick<MailServices, 'mailer'>,
  request: Omit<DeferredSignInEmail, 'template'>,
): Promise<void> => services.mailer.send({ kind: 'deferred', template: 'sign_in', ...request });

export async function composeSignInEmail(
  services: Pick<MailServices, 'config' | 'database' | 'sealer'>,
  { userId, browser, ip, userAgent, locale }: DeferredSignInEmail,
  now: Date,
): ReturnType<EmailComposer> {
  const mailbox = userId === null ? undefined : await findActiveContact(services.database, userId);
  if (mailbox === undefined || !(await maySendSignInCodeTo(services, mailbox.email, now))) return undefined;
  const { name, email, emailVerified } = mailbox;
  const token = { kind: 'sign_in', userId: mailbox.userId, email, detail: { browser } } as const;
  return async (transaction) => ({
    kind: 'sign_in',
    to: { name: emailVerified ? name : '', email },
    locale: mailbox.locale ?? locale,
    at: now,
    ip,
    device: parseUserAgent(userAgent),
    code: (await issueToken(services, transaction, token, now)).code,
  });
}

export async function signInWithEmailCode(
  services: MailServices & SessionServices,
  { email, browser, entered }: Pick<EnteredCode, 'entered'> & { email: string; browser: string },
  request: RequestContext,
  now: Date,
): Promise<StartedSession | PendingMfaSignIn | undefined> {
  const user = await findUserForSignIn(services.database, email);
  const userId = user?.userId ?? NIL_USER_ID;
  const kind = 'sign_in';
  const { ip } = request;
  const checked = await checkEmailCode(
    services,
    { userId, kind, entered, browser, ip },
    now,
    async (hash) => {
      const token = await useCode(services.database, userId, kind, hash, now, browser);
      return token === undefined ? { outcome: 'wrong' as const } : { outcome: 'right' as const, token };
    },
  );
  // A specific error would reveal whether the password was correct.
  return checked.outcome === 'right' && user
    ? startEmailCodeSession(services, user, checked.token, request, now)
    : findStartedSession(services, userId, request, now);
}

/** @param user the account before the code was redeemed. A password change since then prevents the sign-in. */
async function startEmailCodeSession(
  services: MailServices & SessionServices,
  user: UserForSignIn,
  { userId, email }: LiveToken,
  request: RequestContext,
  now: Date,
): Promise<StartedSession | PendingMfaSignIn | undefined> {
  const { database, sealer, config, activity } = services;
  if (user.passwordHash === null) return undefined;
  await verifyEmail(database, userId, email, now);
  const attempt = { accountKey: userId, networkKey: deriveNetworkKey(sealer, request.ip) };
  const authenticated = authenticatedByPassword(userId, { passwordHash: user.passwordHash, attempt });
  const session = await startSession({ database, config, activity }, authenticated, request, now);
  // The email code doesn't replace MFA (ADR 13).
  const { passwordHash } = user;
  return session ?? (user.requiresTotp ? new PendingMfaSignIn(userId, { passwordHash }) : undefined);
}
