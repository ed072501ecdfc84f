// Emails that tell an account's owner that something happened, and security alerts with a link to report it.

import { type Locale, messagesFor } from '../i18n/index.ts';
import type { GuessedWish } from '../mail/envelope.ts';
import type { Announcement, Letter, SecurityNotice } from '../mail/letter.ts';
import { issueToken, type MailParts } from '../mail/links.ts';
import type { Writer } from '../mail/mailer.ts';
import { maskedAddress } from '../mail/names.ts';
import { findMailbox, type Mailbox } from '../store/credentials.ts';
import type { Queryable } from '../store/database.ts';
import { readDevice } from './browser-name.ts';
import { mayNotify } from './limits.ts';

/** How it came about, as far as its owner may know. */
interface Circumstances {
  /** The name of an application or API, or an email address. */
  subject?: string | undefined;
  address?: string | undefined;
  userAgent?: string | undefined;
  /** The language of the page, for users who have not chosen one. */
  locale?: Locale | undefined;
}

const { announcements } = messagesFor('en').mail;
const isAnnouncement = (kind: string): kind is Announcement => kind in announcements;

interface Alert extends Circumstances {
  /** When the session started in which it was done: a report removes what was added since. Now, if absent. */
  since?: Date | undefined;
  /** The email address was changed in a browser that the account had known for less than a day. */
  strange?: boolean | undefined;
}

/** The circumstances of what a user does in a session. */
export type InSession = Pick<Alert, 'since' | 'userAgent' | 'locale'>;

export interface Notification extends Alert {
  kind: Announcement | SecurityNotice;
  /** The id of the account, or its mailbox if the account is gone. */
  account: string | Mailbox;
  /** The address to write to instead of the account's, and whether it was verified. */
  former?: { email: string; verified: boolean };
}

/** Notifies an account's owner, within limits. Call it when the change is committed; it never throws. */
export async function notify(parts: MailParts, notification: Notification, now: Date): Promise<void> {
  try {
    await parts.database.transaction((transaction) => notifyWithin(parts, transaction, notification, now));
    parts.mailer.wake();
  } catch (error) {
    parts.mailer.lost(error);
  }
}

/** The same in the transaction of the change. */
export async function notifyWithin(
  parts: Omit<MailParts, 'database'>,
  transaction: Queryable,
  { kind, account, former, ...about }: Notification,
  now: Date,
): Promise<void> {
  if (!parts.mailer.available) return;
  const present = typeof account === 'string' ? await findMailbox(transaction, account) : account;
  if (present === undefined) return;
  const mailbox = former ? { ...present, email: former.email, emailVerified: former.verified } : present;
  // Another account chose the name in it.
  if (isAnnouncement(kind) && kind.startsWith('api_access_') && !mailbox.emailVerified) return;
  if (!(await mayNotify({ ...parts, database: transaction }, kind, mailbox.email, now))) return;
  if (isAnnouncement(kind)) await announce(parts, mailbox, kind, about, now, transaction);
  else await alert(parts, transaction, mailbox, kind, about, now);
}

/** Sends a security alert with a link to report it, in a transaction. */
export async function alert(
  parts: Pick<MailParts, 'config' | 'sealer' | 'mailer'>,
  transaction: Queryable,
  mailbox: Mailbox,
  notice: SecurityNotice,
  { since, strange, ...about }: Alert,
  now: Date,
): Promise<void> {
  const { userId, email, emailVerified } = mailbox;
  const detail = {
    notice,
    since: (since ?? now).toISOString(),
    ...(strange && { strange }),
    ...(!emailVerified && { unverified: true as const }),
  };
  const { link } = await issueToken(parts, transaction, { kind: 'not_me', userId, email, detail }, now);
  const letter = letterTo(mailbox, about, now);
  const isMasked = notice.startsWith('email_') && !mailbox.emailVerified;
  const subject = isMasked && letter.subject !== undefined ? maskedAddress(letter.subject) : letter.subject;
  await parts.mailer.send({ kind: 'notice', notice, ...letter, subject, link }, userId, transaction);
}

/** Announces what an administrator decided, or another change that can't be reported. No limit applies. */
export const announce = (
  { mailer }: Pick<MailParts, 'mailer'>,
  mailbox: Mailbox,
  announcement: Announcement,
  about: Circumstances,
  now: Date,
  within?: Queryable,
): Promise<void> =>
  mailer.send(
    { kind: 'notice', notice: announcement, ...letterTo(mailbox, about, now) },
    mailbox.userId,
    within,
  );

/** Writes to the owner of an account, if it is one, that its password is being guessed. */
export async function writeGuessed(
  parts: Pick<MailParts, 'config' | 'database' | 'sealer'>,
  { userId, address }: GuessedWish,
  now: Date,
): ReturnType<Writer> {
  const mailbox = userId === null ? undefined : await findMailbox(parts.database, userId);
  if (mailbox === undefined || !(await mayNotify(parts, 'password_guessed', mailbox.email, now)))
    return undefined;
  const letter = letterTo(mailbox, { address }, now);
  return async (): Promise<Letter> => ({ kind: 'notice', notice: 'password_guessed', ...letter });
}

/** An unverified mailbox may be somebody else's, so it gets no name. */
const letterTo = (
  { name, email, emailVerified, locale: chosen }: Mailbox,
  { subject, address = '', userAgent = '', locale = 'fr' }: Circumstances,
  at: Date,
) => ({
  to: { name: emailVerified ? name : '', email },
  locale: chosen ?? locale,
  at,
  address,
  device: readDevice(userAgent),
  subject,
});
