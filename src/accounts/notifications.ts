// Sends account notifications, and security alerts with a link for reporting unauthorized activity.

import { type Locale, messagesFor } from '../i18n/index.ts';
import type { EmailComposer } from '../mail/delivery.ts';
import { maskEmail } from '../mail/display-names.ts';
import type { AccountNotification, Email, SecurityAlert } from '../mail/email.ts';
import { issueToken, type MailServices } from '../mail/links.ts';
import type { DeferredGuessingAlert } from '../mail/outbox-content.ts';
import { type EmailRecipient, findActiveContact } from '../store/credentials.ts';
import type { Queryable } from '../store/database.ts';
import { mayNotify } from './rate-limits.ts';
import { parseUserAgent } from './user-agent.ts';

interface NotificationContext {
  subject?: string | undefined;
  ip?: string | undefined;
  userAgent?: string | undefined;
  /** Used for accounts without a language setting. */
  locale?: Locale | undefined;
}

const { announcements } = messagesFor('en').mail;
const isAccountNotification = (kind: string): kind is AccountNotification => kind in announcements;

interface Alert extends NotificationContext {
  /**
   * Start of the session in which the change was made. If the user reports the change, everything added since then is
   * removed.
   */
  since?: Date | undefined;
  /** Whether the change was made less than a day after the first sign-in in that browser. */
  fromNewBrowser?: boolean | undefined;
}

export type SessionContext = Pick<Alert, 'since' | 'userAgent' | 'locale'>;

export interface Notification extends Alert {
  kind: AccountNotification | SecurityAlert;
  /** The user ID, or the mailbox of a deleted account. */
  account: string | EmailRecipient;
  formerMailbox?: { email: string; verified: boolean };
}

/**
 * Notifies an account's owner unless a rate limit is reached. Call this function after the change is committed. Never
 * throws.
 */
export async function notify(services: MailServices, notification: Notification, now: Date): Promise<void> {
  try {
    await services.database.transaction((transaction) =>
      notifyInTransaction(services, transaction, notification, now),
    );
    services.mailer.wake();
  } catch (error) {
    services.mailer.logFailure(error);
  }
}

export async function notifyInTransaction(
  services: Omit<MailServices, 'database'>,
  transaction: Queryable,
  { kind, account, formerMailbox, ...context }: Notification,
  now: Date,
): Promise<void> {
  if (!services.mailer.available) return;
  const contact = typeof account === 'string' ? await findActiveContact(transaction, account) : account;
  if (contact === undefined) return;
  const mailbox = formerMailbox
    ? { ...contact, email: formerMailbox.email, emailVerified: formerMailbox.verified }
    : contact;
  // These emails contain names that other users chose, so they are sent only to verified addresses.
  if (isAccountNotification(kind) && kind.startsWith('api_access_') && !mailbox.emailVerified) return;
  if (!(await mayNotify({ ...services, database: transaction }, kind, mailbox.email, now))) return;
  if (isAccountNotification(kind)) await sendNotification(services, mailbox, kind, context, now, transaction);
  else await sendSecurityAlert(services, transaction, mailbox, kind, context, now);
}

export async function sendSecurityAlert(
  services: Pick<MailServices, 'config' | 'sealer' | 'mailer'>,
  transaction: Queryable,
  mailbox: EmailRecipient,
  notice: SecurityAlert,
  { since, fromNewBrowser, ...context }: Alert,
  now: Date,
): Promise<void> {
  const { userId, email, emailVerified } = mailbox;
  const detail = {
    notice,
    since: (since ?? now).toISOString(),
    ...(fromNewBrowser && { fromNewBrowser }),
    ...(!emailVerified && { unverified: true as const }),
  };
  const { link } = await issueToken(
    services,
    transaction,
    { kind: 'report_activity', userId, email, detail },
    now,
  );
  const message = getRecipient(mailbox, context, now);
  const isMasked = notice.startsWith('email_') && !mailbox.emailVerified;
  const subject = isMasked && message.subject !== undefined ? maskEmail(message.subject) : message.subject;
  await services.mailer.send({ kind: 'notice', notice, ...message, subject, link }, userId, transaction);
}

/** Sends a notification without a report link. No rate limit applies. */
export const sendNotification = (
  { mailer }: Pick<MailServices, 'mailer'>,
  mailbox: EmailRecipient,
  announcement: AccountNotification,
  context: NotificationContext,
  now: Date,
  transaction?: Queryable,
): Promise<void> =>
  mailer.send(
    { kind: 'notice', notice: announcement, ...getRecipient(mailbox, context, now) },
    mailbox.userId,
    transaction,
  );

export async function composeGuessingAlert(
  services: Pick<MailServices, 'config' | 'database' | 'sealer'>,
  { userId, ip }: DeferredGuessingAlert,
  now: Date,
): ReturnType<EmailComposer> {
  const mailbox = userId === null ? undefined : await findActiveContact(services.database, userId);
  if (mailbox === undefined || !(await mayNotify(services, 'password_guessed', mailbox.email, now)))
    return undefined;
  const message = getRecipient(mailbox, { ip }, now);
  return async (): Promise<Email> => ({ kind: 'notice', notice: 'password_guessed', ...message });
}

/** Emails to unverified addresses omit the account's name. */
const getRecipient = (
  { name, email, emailVerified, locale: chosen }: EmailRecipient,
  { subject, ip = '', userAgent = '', locale = 'fr' }: NotificationContext,
  at: Date,
) => ({
  to: { name: emailVerified ? name : '', email },
  locale: chosen ?? locale,
  at,
  ip,
  device: parseUserAgent(userAgent),
  subject,
});
