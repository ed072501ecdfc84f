// « This was done »: mails about what no link can undo: what operators decide, and the end of an account.

import type { Locale } from '../i18n/index.ts';
import type { GuessedWish } from '../mail/envelope.ts';
import type { Announcement, Letter } from '../mail/letter.ts';
import type { MailParts } from '../mail/links.ts';
import type { Mailer, Writer } from '../mail/mailer.ts';
import { findContact, findContactOf, findMailbox, type Mailbox } from '../store/credentials.ts';
import type { Database, Queryable } from '../store/database.ts';
import type { AccountAction, ApplicationAction } from '../store/moderation.ts';
import { readDevice } from './browser-name.ts';
import { mayAnnounce, mayAnnounceDanger, mayMailAccess } from './limits.ts';
import {
  type Moderated,
  type ModeratedKind,
  type Moderator,
  moderateAccount,
  moderateThing,
} from './moderation.ts';

interface Told {
  mailer: Pick<Mailer, 'send' | 'wake'>;
  database: Database;
}

/** How it came about, as far as that is the person's business: never an operator's address. */
interface Circumstances {
  subject?: string;
  address?: string;
  userAgent?: string;
  locale?: Locale;
}

/** Tells a person. Whom a letter goes to is asked before what it tells of: afterwards the account may be gone. */
export const announce = (
  { mailer }: Pick<Told, 'mailer'>,
  mailbox: Mailbox,
  announcement: Announcement,
  circumstances: Circumstances,
  now: Date,
  within?: Queryable,
): Promise<void> => mailer.send(letterOf(mailbox, announcement, circumstances, now), within);

const letterOf = (
  { name, email, emailVerified, locale: chosen }: Mailbox,
  announcement: Announcement,
  { subject, address = '', userAgent = '', locale = 'fr' }: Circumstances,
  at: Date,
): Letter => ({
  kind: 'announcement',
  announcement,
  to: { name: emailVerified ? name : '', email },
  locale: chosen ?? locale,
  at,
  address,
  device: readDevice(userAgent),
  subject,
});

/** Tells the owner of an account that is gone, within what a mailbox may be sent: anybody can sign up with an address. */
export async function announceDeletion(
  parts: MailParts,
  mailbox: Mailbox,
  circumstances: Circumstances,
  now: Date,
): Promise<void> {
  if (!parts.mailer.available) return;
  try {
    if (await mayAnnounce(parts, mailbox.email, now))
      await announce(parts, mailbox, 'account_deleted', circumstances, now);
  } catch (error) {
    parts.mailer.lost(error);
  }
}

/**
 * Tells one owner what the other one asked or decided about access to an API. Names in it are others' to choose, so it goes to no
 * mailbox that has not answered. Never fails what it tells of.
 */
export async function announceAccess(
  parts: MailParts,
  userId: string,
  announcement: 'api_access_asked' | 'api_access_granted' | 'api_access_refused' | 'api_access_ended',
  subject: string,
  now: Date,
): Promise<void> {
  if (!parts.mailer.available) return;
  try {
    const mailbox = await findMailbox(parts.database, userId);
    if (!mailbox?.emailVerified || !(await mayMailAccess(parts, mailbox.email, now))) return;
    await announce(parts, mailbox, announcement, { subject }, now);
    parts.mailer.wake();
  } catch (error) {
    parts.mailer.lost(error);
  }
}

/** Tells the owner of an account, if it is one, that somebody guesses at its password. */
export const announceGuessing = (
  { mailer }: Pick<MailParts, 'mailer'>,
  userId: string | null,
  address: string,
): Promise<void> => mailer.send({ kind: 'wish', what: 'password_guessed', userId, address });

export async function writeGuessed(
  parts: Pick<MailParts, 'config' | 'database' | 'sealer'>,
  { userId, address }: GuessedWish,
  now: Date,
): ReturnType<Writer> {
  const mailbox = userId === null ? undefined : await findMailbox(parts.database, userId);
  if (mailbox === undefined || !(await mayAnnounce(parts, mailbox.email, now))) return undefined;
  return async () => letterOf(mailbox, 'password_guessed', { address }, now);
}

/**
 * Tells the owner of an account that somebody may have what opens it: its password, and tries codes, or so many that some are not
 * looked at; a copy of a passkey.
 */
export async function announceDanger(
  parts: MailParts,
  danger: 'codes_tried' | 'codes_used_up' | 'passkey_behind',
  userId: string,
  address: string,
  now: Date,
): Promise<void> {
  if (!parts.mailer.available) return;
  const mailbox = await findMailbox(parts.database, userId);
  if (mailbox === undefined || !(await mayAnnounceDanger(parts, danger, mailbox.email, now))) return;
  await announce(parts, mailbox, danger, { address }, now);
  parts.mailer.wake();
}

const OF_ACCOUNTS: Record<AccountAction, Announcement> = {
  suspend: 'account_suspended',
  unsuspend: 'account_unsuspended',
  end: 'access_ended',
  grant: 'operator_granted',
  revoke: 'operator_revoked',
  delete: 'account_removed',
};

/** Does what an operator decides about an account, and tells its owner: that it is so, not who did it or why. */
export async function decideOnAccount(
  parts: Told,
  action: AccountAction,
  userId: string,
  by: Moderator,
  now: Date,
): Promise<Moderated> {
  const mailbox = await findContact(parts.database, userId);
  const outcome = await moderateAccount(parts.database, action, userId, by, now, async (transaction) => {
    if (mailbox !== undefined) await announce(parts, mailbox, OF_ACCOUNTS[action], {}, now, transaction);
  });
  parts.mailer.wake();
  return outcome;
}

/** The same about an application, an API or an agent. Agents have no owner, and a verification is shown on pages. */
export async function decideOnThing(
  parts: Told,
  kind: ModeratedKind,
  action: ApplicationAction,
  id: string,
  by: Moderator,
  now: Date,
): Promise<Moderated> {
  const outcome = await moderateThing(parts.database, kind, action, id, by, now, async (transaction) => {
    if (kind === 'agent' || action === 'verify' || action === 'unverify') return;
    const contact = await findContactOf(transaction, kind, id);
    if (contact !== undefined)
      await announce(parts, contact, `${kind}_${action}ed`, { subject: contact.thing }, now, transaction);
  });
  parts.mailer.wake();
  return outcome;
}
