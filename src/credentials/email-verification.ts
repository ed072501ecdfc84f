// Verifies and changes email addresses with an emailed link or code.

import { type Notification, notifyInTransaction } from '../accounts/notifications.ts';
import {
  mayRequestEmail,
  mayRequestEmailAsUser,
  maySendEmailChangeTo,
  maySendLinkTo,
} from '../accounts/rate-limits.ts';
import type { Locale } from '../i18n/index.ts';
import type { EmailComposer } from '../mail/delivery.ts';
import { issueToken, type MailServices } from '../mail/links.ts';
import type { DeferredChangeEmail } from '../mail/outbox-content.ts';
import { type AuditEvent, recordOwnEvent } from '../store/audit-log.ts';
import { changeEmail, findActiveContactByEmail, verifyEmail } from '../store/credentials.ts';
import { type Queryable, rollback } from '../store/database.ts';
import { emailKey } from '../store/emails.ts';
import {
  deleteTokens,
  type EmailedLink,
  type LiveToken,
  lockTokenUser,
  type TokenDetail,
  useCode,
  useToken,
} from '../store/one-time-tokens.ts';
import { requireLiveSession } from '../store/session-locks.ts';
import { checkEmailCode, type EnteredCode } from './email-code.ts';

interface RequestDetails {
  ip: string;
  userAgent: string;
  locale: Locale;
}

export interface EmailRequester extends RequestDetails {
  userId: string;
  email: string;
  sid?: string | undefined;
  since?: Date;
}

/** Milliseconds since the first sign-in in a browser. */
const MIN_KNOWN_BROWSER_AGE = 24 * 3600 * 1000;

export type EmailRequestOutcome = 'sent' | 'tooMany';

export async function requestVerification(
  services: MailServices,
  requester: EmailRequester,
  now: Date,
  returnTo: Pick<TokenDetail, 'pending' | 'next'> = {},
): Promise<EmailRequestOutcome> {
  const { userId, email, ip, locale } = requester;
  if (!(await mayRequestEmailAsUser(services, userId, now))) return 'tooMany';
  if (!(await mayRequestEmail(services, ip, now)) || !(await maySendLinkTo(services, email, now)))
    return 'tooMany';
  await services.database.transaction(async (transaction) => {
    const token = { kind: 'verify_email', userId, email, detail: returnTo } as const;
    const { link, code } = await issueToken(services, transaction, token, now);
    await services.mailer.send(
      { kind: 'verify_email', to: { name: '', email }, locale, link, code },
      userId,
      transaction,
    );
  });
  services.mailer.wake();
  return 'sent';
}

/**
 * Sends a link and a code to the new email address and an alert to the current one. The response doesn't reveal whether
 * another account has the new address (`composeChangeEmail`).
 * @param knownSince time of the user's first sign-in in this browser, if known. After a change in a new browser, the
 *   report link can restore the former address for a day (ADR 9).
 */
export async function requestEmailChange(
  services: MailServices,
  requester: EmailRequester,
  { email, knownSince }: { email: string; knownSince: Date | undefined },
  now: Date,
): Promise<EmailRequestOutcome | 'same'> {
  const { userId, since = now, ip, userAgent, locale } = requester;
  const isNewBrowser =
    knownSince === undefined || now.getTime() - knownSince.getTime() < MIN_KNOWN_BROWSER_AGE;
  if (email === requester.email) return 'same';
  if (!(await mayRequestEmailAsUser(services, userId, now))) return 'tooMany';
  if (!(await mayRequestEmail(services, ip, now)) || !(await maySendEmailChangeTo(services, email, now)))
    return 'tooMany';
  await services.database.transaction(async (transaction) => {
    await requireLiveSession(transaction, requester, now);
    await deleteTokens(transaction, userId, 'change_email');
    const event = {
      kind: 'email_change_requested',
      userId,
      ip,
      detail: { email },
    } as const satisfies AuditEvent;
    await recordOwnEvent(transaction, event, now);
    const detail: TokenDetail = {
      since: since.toISOString(),
      ...(isNewBrowser && { fromNewBrowser: true }),
    };
    const token = { kind: 'change_email', userId, email, detail } as const;
    const { link, code } = await issueToken(services, transaction, token, now);
    await services.mailer.send(
      { kind: 'deferred', template: 'change_email', userId, email, locale, link, code },
      userId,
      transaction,
    );
    if (emailKey(email) === emailKey(requester.email)) return;
    const alert = {
      kind: event.kind,
      account: userId,
      since,
      fromNewBrowser: isNewBrowser,
      subject: email,
      ip,
      userAgent,
      locale,
    } satisfies Notification;
    await notifyInTransaction(services, transaction, alert, now);
  });
  services.mailer.wake();
  return 'sent';
}

export async function composeChangeEmail(
  { database }: Pick<MailServices, 'database'>,
  { userId, email, locale, link, code }: DeferredChangeEmail,
): ReturnType<EmailComposer> {
  const owner = await findActiveContactByEmail(database, email);
  if (owner === undefined || owner.userId === userId)
    return async () => ({ kind: 'change_email', to: { name: '', email }, locale, link, code });
  const to = { name: owner.emailVerified ? owner.name : '', email: owner.email };
  return async () => ({ kind: 'email_in_use', to, locale: owner.locale ?? locale });
}

export type ConfirmationOutcome =
  | { outcome: 'verified' | 'changed'; email: string; returnTo: TokenDetail }
  | { outcome: 'invalid' | 'taken' };

export const confirmEmailWithLink = (
  services: MailServices,
  link: EmailedLink,
  request: RequestDetails,
  now: Date,
): Promise<ConfirmationOutcome> =>
  confirmEmail(services, request, now, async (transaction) => {
    const token = await useToken(transaction, link, ['verify_email', 'change_email'], now);
    return token ?? { outcome: 'invalid' };
  });

export const confirmEmailWithCode = (
  services: MailServices,
  code: Pick<EnteredCode, 'userId' | 'entered'> & { kind: 'verify_email' | 'change_email' },
  request: RequestDetails,
  now: Date,
): Promise<ConfirmationOutcome | { outcome: 'wrong' | 'tooMany' }> =>
  checkEmailCode(services, { ...code, ip: request.ip }, now, (hash) =>
    confirmEmail(
      services,
      request,
      now,
      async (transaction) =>
        (await useCode(transaction, code.userId, code.kind, hash, now)) ?? { outcome: 'wrong' },
    ),
  );

async function confirmEmail<Rejected extends { outcome: 'invalid' | 'wrong' }>(
  services: MailServices,
  request: RequestDetails,
  now: Date,
  redeem: (transaction: Queryable) => Promise<LiveToken | Rejected>,
): Promise<ConfirmationOutcome | Rejected> {
  const confirmed = await services.database.transaction(
    async (transaction): Promise<ConfirmationOutcome | Rejected> => {
      const token = await redeem(transaction);
      if ('outcome' in token) return token;
      if (token.kind === 'change_email' && !(await lockTokenUser(transaction, token)))
        return { outcome: 'invalid' as const };
      const applied = await applyEmailChange(transaction, token, request.ip, now);
      if (applied === 'taken') return rollback({ outcome: applied });
      if (applied === 'invalid') return { outcome: applied };
      const { outcome, email } = applied;
      if (outcome === 'changed' && emailKey(token.currentEmail) !== emailKey(email)) {
        const { since, fromNewBrowser } = token.detail;
        const alert = {
          kind: 'email_changed',
          account: token.userId,
          formerMailbox: { email: token.currentEmail, verified: token.currentVerified },
          // The change may be confirmed in a different session than the one in which it was requested.
          since: since === undefined ? undefined : new Date(since),
          fromNewBrowser,
          subject: email,
          ip: request.ip,
          userAgent: request.userAgent,
          locale: request.locale,
        } as const satisfies Notification;
        await notifyInTransaction(services, transaction, alert, now);
      }
      return { outcome, email, returnTo: token.detail };
    },
  );
  services.mailer.wake();
  return confirmed;
}

/** @returns `taken` if another account has the new address, `invalid` if the address was replaced concurrently */
async function applyEmailChange(
  transaction: Queryable,
  { kind, userId, email }: LiveToken,
  ip: string,
  now: Date,
): Promise<{ outcome: 'verified' | 'changed'; email: string } | 'taken' | 'invalid'> {
  if (kind === 'verify_email') {
    if (!(await verifyEmail(transaction, userId, email, now))) return 'invalid';
    await recordOwnEvent(transaction, { kind: 'email_verified', userId, ip }, now);
    return { outcome: 'verified', email };
  }
  if (!(await changeEmail(transaction, userId, email, now))) return 'taken';
  await recordOwnEvent(transaction, { kind: 'email_changed', userId, ip, detail: { email } }, now);
  return { outcome: 'changed', email };
}
