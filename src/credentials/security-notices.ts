// Security alerts: an email about each change that an intruder might make, with a link to report unauthorized activity.

import { readDevice } from '../accounts/browser-name.ts';
import { mayNotify } from '../accounts/limits.ts';
import type { Locale } from '../i18n/index.ts';
import type { SecurityNotice } from '../mail/letter.ts';
import { issueToken, type MailParts } from '../mail/links.ts';
import { maskedAddress } from '../mail/names.ts';
import { findMailbox } from '../store/credentials.ts';

export interface SecurityChange {
  userId: string;
  kind: SecurityNotice;
  /** When the session started that it was done in: a report removes what was added since. Now, if there is none. */
  since?: Date | undefined;
  /** Of a change of address: whether it was asked for in a browser that the account had not known for a day. */
  strange?: boolean | undefined;
  address: string;
  detail?: {
    /** What it was done to: the name of an application, or a mail address. */
    subject?: string | undefined;
    userAgent?: string | undefined;
    /** Where to write instead of the account's own address: its former one. */
    email?: string | undefined;
    proven?: boolean | undefined;
    /** The language of the page, for people who have not chosen one. */
    locale?: Locale | undefined;
  };
}

/** Whoever changes password, address or second factor has the account in hand. */
const isTakeover = (notice: string): boolean => /^(password|email|app_|recovery_|passkey_)/.test(notice);

/**
 * Tells the owner of an account what was changed. Never fails what it tells of: call it once that is done.
 * Does nothing where there is no mail.
 */
export async function noticeSecurityChange(
  parts: MailParts,
  change: SecurityChange,
  now: Date,
): Promise<void> {
  if (!parts.mailer.available) return;
  const {
    userId,
    kind,
    since = now,
    strange = false,
    address,
    detail: { subject, userAgent = '', email, proven: wasProven, locale = 'fr' } = {},
  } = change;
  try {
    const mailbox = await findMailbox(parts.database, userId);
    if (mailbox === undefined) return;
    // Whoever signs up with a stranger's address chooses every name: none goes to a mailbox that has not answered.
    const proven = wasProven ?? mailbox.emailVerified;
    const to = { name: proven ? mailbox.name : '', email: email ?? mailbox.email };
    // Of their own each: however many mails of one kind were provoked, those of another still arrive.
    const room = kind.startsWith('email_') ? 'address' : isTakeover(kind) ? 'takeover' : 'change';
    if (!(await mayNotify(parts, room, to.email, now))) return;
    const token = {
      kind: 'not_me',
      userId,
      email: to.email,
      detail: {
        notice: kind,
        since: since.toISOString(),
        ...(strange && { strange }),
      },
    } as const;
    const letter = {
      kind: 'notice',
      notice: kind,
      to,
      locale: mailbox.locale ?? locale,
      at: now,
      address,
      // Not as it was sent: it is whatever an intruder wants the mail to say.
      device: readDevice(userAgent),
      subject:
        subject !== undefined && !proven && kind.startsWith('email_') ? maskedAddress(subject) : subject,
    } as const;
    await parts.database.transaction(async (transaction) => {
      const { link } = await issueToken(parts, transaction, token, now);
      await parts.mailer.send({ ...letter, link }, transaction);
    });
    parts.mailer.wake();
  } catch (error) {
    parts.mailer.lost(error);
  }
}
