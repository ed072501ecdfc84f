// Sets, changes, resets and removes passwords.

import { type Notification, notifyInTransaction, type SessionContext } from '../accounts/notifications.ts';
import { maySendLinkTo } from '../accounts/rate-limits.ts';
import type { Locale } from '../i18n/index.ts';
import type { EmailComposer } from '../mail/delivery.ts';
import { issueToken, type MailServices } from '../mail/links.ts';
import type { DeferredResetEmail } from '../mail/outbox-content.ts';
import type { AuthenticationMethod } from '../oauth/authentication-methods.ts';
import { recordOwnEvent } from '../store/audit-log.ts';
import {
  findActiveContactByEmail,
  findContact,
  recordPasswordChange,
  replacePassword,
  verifyEmail,
} from '../store/credentials.ts';
import { type Queryable, rollback } from '../store/database.ts';
import {
  deleteTokens,
  type EmailedLink,
  expireLinksToFormerEmails,
  lockReportLinks,
  type TokenDetail,
  useToken,
} from '../store/one-time-tokens.ts';
import { addPassword, removePassword } from '../store/passwordless.ts';
import { lockAccountChanges, lockSession, requireLiveSession } from '../store/session-locks.ts';
import { endSessions } from '../store/sessions.ts';
import { revokeUnverifiedSetup } from '../store/unverified-accounts.ts';
import { findUserForSignIn, forgetKnownBrowsers, setAccountPassword as setPassword } from '../store/users.ts';
import { restartMfaResetDelay } from './mfa-reset.ts';
import type { Actor } from './mfa-setup.ts';
import type { PasswordHasher } from './password-hashing.ts';
import {
  authenticatedByPassword,
  type RequestContext,
  type SessionServices,
  type StartedSession,
  startSession,
} from './session-start.ts';
import { PendingMfaSignIn } from './sign-in.ts';

type Services = MailServices & SessionServices & { hasher: PasswordHasher };

/**
 * Changes a password. The caller must verify the current password first. A new session with the same authentication
 * methods replaces the current session.
 * @returns undefined if the password was changed concurrently
 * @throws OAuthError `access_denied` if the session has ended
 */
export async function changePassword(
  services: Services,
  session: Omit<Actor, 'ip'> & {
    passwordHash: string;
    methods: readonly AuthenticationMethod[];
    allFactorsAt: Date;
  },
  password: string,
  request: RequestContext,
  now: () => Date,
): Promise<StartedSession | undefined> {
  const { userId, sid, passwordHash, methods, allFactorsAt, idHash, since, locale } = session;
  const hash = await services.hasher.hash(password);
  const changed = await services.database.transaction(async (transaction) => {
    // Sessions must be locked before users (store/session-locks.ts).
    await lockAccountChanges(transaction, userId);
    await requireLiveSession(transaction, { userId, sid }, now());
    if (!(await replacePassword(transaction, userId, passwordHash, hash))) return false;
    await endSessions(transaction, userId, now());
    await forgetKnownBrowsers(transaction, userId);
    await recordPasswordChange(transaction, userId, now());
    const { ip, userAgent } = request;
    await recordOwnEvent(transaction, { kind: 'password_changed', userId, ip }, now());
    const alert = {
      kind: 'password_changed',
      account: userId,
      ip,
      userAgent,
      since,
      locale,
    } as const satisfies Notification;
    await notifyInTransaction(services, transaction, alert, now());
    return true;
  });
  if (!changed) return undefined;
  services.mailer.wake();
  const proof = { by: 'change', passwordHash: hash, allFactorsAt, endedIdHash: idHash } as const;
  return startSession(services, { userId, proof, methods }, request, now());
}

/** Stores only a deferred email, so the response doesn't reveal whether the account exists. */
export function requestPasswordReset(
  services: Pick<MailServices, 'mailer'>,
  { email, locale, returnTo }: { email: string; locale: Locale; returnTo: TokenDetail },
): Promise<void> {
  return services.mailer.send({ kind: 'deferred', template: 'reset_password', email, locale, returnTo });
}

export async function composePasswordResetEmail(
  services: Pick<MailServices, 'config' | 'database' | 'sealer'>,
  { email, locale, returnTo }: DeferredResetEmail,
  now: Date,
): ReturnType<EmailComposer> {
  const mailbox = await findActiveContactByEmail(services.database, email);
  if (mailbox === undefined || !(await maySendLinkTo(services, mailbox.email, now))) return undefined;
  const { userId, name, emailVerified } = mailbox;
  const to = { name: emailVerified ? name : '', email: mailbox.email };
  const fields = { to, locale: mailbox.locale ?? locale };
  if (!mailbox.canResetPassword)
    return async () => ({
      kind: 'without_password',
      ...fields,
      link: `${services.config.baseUrl}/signin/recovery`,
    });
  const token = { kind: 'reset_password', userId, email: mailbox.email, detail: returnTo } as const;
  return async (transaction) => ({
    kind: 'reset_password',
    ...fields,
    link: (await issueToken(services, transaction, token, now)).link,
  });
}

const PASSWORD_LINK_EVENTS = {
  reset_password: 'password_reset',
  verify_email: 'password_reset',
  invitation: 'invitation_accepted',
} as const;

export type PasswordLinkKind = keyof typeof PASSWORD_LINK_EVENTS;

/**
 * Sets a new password with an emailed link, verifies the email address and signs the user in. Revokes sessions and
 * tokens, but keeps consents. If the address was unverified, someone else may have created the account. In that case,
 * the account's consents, passkeys, MFA and linked identities are removed.
 * @returns undefined if the link is invalid
 */
export async function resetPassword(
  services: Services,
  { kind, link }: { kind: PasswordLinkKind; link: EmailedLink },
  password: string,
  request: RequestContext & Pick<SessionContext, 'locale'>,
  now: () => Date,
): Promise<{ session: StartedSession | PendingMfaSignIn; returnTo: TokenDetail } | undefined> {
  const { database } = services;
  const passwordHash = await services.hasher.hash(password);
  const token = await database.transaction(async (transaction) => {
    await lockReportLinks(transaction, link);
    const used = await useToken(transaction, link, [kind], now());
    if (used === undefined) return undefined;
    const { userId, email } = used;
    await lockAccountChanges(transaction, userId);
    // The user may have removed the password after the link was sent.
    if (!(await findContact(transaction, userId))?.canResetPassword) return rollback(undefined);
    await endSessions(transaction, userId, now());
    const wasUnverified = await revokeUnverifiedSetup(transaction, userId, now());
    await setPassword(transaction, userId, passwordHash);
    await recordPasswordChange(transaction, userId, now());
    await forgetKnownBrowsers(transaction, userId);
    await restartMfaResetDelay(transaction, userId, now());
    if (!(await verifyEmail(transaction, userId, email, now()))) return rollback(undefined);
    await expireLinksToFormerEmails(transaction, userId, email, now());
    const { ip, userAgent, locale } = request;
    await recordOwnEvent(transaction, { kind: PASSWORD_LINK_EVENTS[kind], userId, ip }, now());
    if (wasUnverified && kind !== 'invitation')
      await recordOwnEvent(transaction, { kind: 'email_verified', userId, ip }, now());
    const alert = {
      kind: 'password_reset',
      account: userId,
      ip,
      userAgent,
      locale,
    } as const satisfies Notification;
    if (!used.invited) await notifyInTransaction(services, transaction, alert, now());
    return used;
  });
  if (token === undefined) return undefined;
  services.mailer.wake();
  const { userId, email, detail: returnTo } = token;
  const authenticated = authenticatedByPassword(userId, { passwordHash });
  const session = await startSession(services, authenticated, request, now());
  // The emailed link replaces only the password, so MFA is still required (ADR 13).
  if (session === undefined && (await findUserForSignIn(database, email))?.requiresTotp)
    return { session: new PendingMfaSignIn(userId, { passwordHash }), returnTo };
  return session && { session, returnTo };
}

/**
 * Removes the password and its pending reset links and sign-in codes.
 * @returns false if the session has ended, the account has no password, or fewer than two sign-in methods would remain
 */
export async function removeOwnPassword(
  transaction: Queryable,
  { userId, sid, ip }: Omit<Actor, 'idHash'>,
  now: Date,
): Promise<boolean> {
  if (!(await lockSession(transaction, { userId, sid }, now))) return false;
  if (!(await removePassword(transaction, userId))) return false;
  for (const kind of ['reset_password', 'sign_in'] as const) await deleteTokens(transaction, userId, kind);
  await recordOwnEvent(transaction, { kind: 'password_removed', userId, ip }, now);
  return true;
}

export async function addOwnPassword(
  services: MailServices & { hasher: PasswordHasher },
  { userId, sid, ip, ...sessionContext }: Omit<Actor, 'idHash'>,
  password: string,
  now: Date,
): Promise<boolean> {
  const hash = await services.hasher.hash(password);
  const added = await services.database.transaction(async (transaction) => {
    if (!(await lockSession(transaction, { userId, sid }, now))) return false;
    if (!(await addPassword(transaction, userId, hash, now))) return false;
    await recordOwnEvent(transaction, { kind: 'password_added', userId, ip }, now);
    const alert = {
      kind: 'password_added',
      account: userId,
      ip,
      ...sessionContext,
    } as const satisfies Notification;
    await notifyInTransaction(services, transaction, alert, now);
    return true;
  });
  services.mailer.wake();
  return added;
}
