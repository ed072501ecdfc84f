// Edits an account's name, phone number and email address on behalf of an administrator.

import { lockModerator, type Moderator, recordModeration } from '../accounts/moderation.ts';
import { sendNotification, sendSecurityAlert } from '../accounts/notifications.ts';
import { maySendEmailChangeTo } from '../accounts/rate-limits.ts';
import { issueToken, type MailServices } from '../mail/links.ts';
import { REPORT_WINDOW } from '../oauth/lifetimes.ts';
import { type LockedAccount, lockAccount } from '../store/admin-actions.ts';
import { hasRecentEvent } from '../store/audit-log.ts';
import { changeEmail, type EmailRecipient, verifyEmail } from '../store/credentials.ts';
import { type Queryable, rollback } from '../store/database.ts';
import { emailKey, findUserIdByEmail } from '../store/emails.ts';
import { deleteOtherReportLinks, deleteTokens, findNewestToken } from '../store/one-time-tokens.ts';
import { lockOneTimeTokens } from '../store/unverified-accounts.ts';
import { updateProfile } from '../store/users.ts';

export interface AccountEdit {
  name?: string | undefined;
  phone?: string | null | undefined;
  email?: string | undefined;
  /** Whether the administrator has checked that the email address belongs to the user. */
  verified: boolean;
  basedOn?: Date | undefined;
}

/**
 * `requested`: the user must confirm the new email address. All other changes were saved.
 * `stale`: the account was changed after the form was opened.
 */
export type EditOutcome =
  | 'done'
  | 'requested'
  | 'unchanged'
  | 'taken'
  | 'stale'
  | 'tooMany'
  | 'self'
  | 'notFound'
  | 'notAdmin';

/** Milliseconds. */
const DOUBLE_SUBMIT_WINDOW = 60_000;

type LockedUser = LockedAccount & { userId: string };

/**
 * Edits an account, records the changes in the audit log and notifies the user, in one transaction.
 *
 * If the service can send email, a verified account stays verified. Its user must confirm a new address in a browser
 * that is signed in to the account. `verified` skips this confirmation. An unverified address is replaced
 * immediately.
 */
export async function editAccount(
  services: MailServices,
  userId: string,
  edit: AccountEdit,
  by: Moderator,
  now: Date,
): Promise<EditOutcome> {
  const outcome = await services.database.transaction(async (transaction): Promise<EditOutcome> => {
    // Lock links and codes before the account to prevent deadlocks.
    await lockOneTimeTokens(transaction, userId);
    if (!(await lockModerator(transaction, by, userId))) return 'notAdmin';
    const account = await lockAccount(transaction, userId);
    if (account === undefined) return 'notFound';
    if (userId === by.userId) return 'self';
    if (!changesAccount(account, edit)) return 'unchanged';
    if (edit.basedOn !== undefined && edit.basedOn.getTime() !== account.profileUpdatedAt.getTime())
      return 'stale';
    const result = await applyEdit(services, transaction, { ...account, userId }, edit, by, now);
    return result === 'taken' || result === 'tooMany' ? rollback(result) : result;
  });
  services.mailer.wake();
  return outcome;
}

const changesAccount = (account: LockedAccount, { name, phone, email, verified }: AccountEdit): boolean =>
  (name !== undefined && name !== account.name) ||
  (phone !== undefined && phone !== account.phone) ||
  (email !== undefined && email !== account.email) ||
  (verified && !account.emailVerified);

async function applyEdit(
  services: MailServices,
  transaction: Queryable,
  account: LockedUser,
  edit: AccountEdit,
  by: Moderator,
  now: Date,
): Promise<EditOutcome> {
  const { userId, locale } = account;
  const { name = account.name, phone = account.phone, email = account.email } = edit;
  const holder = email === account.email ? userId : await findUserIdByEmail(transaction, email);
  if (holder !== undefined && holder !== userId) return 'taken';

  const changes = await updateProfile(transaction, userId, { name, phone, locale }, now);
  const fields = Object.entries(changes ?? {}).flatMap(([field, isNew]) => (isNew ? [field] : []));
  const emailChange = await editEmail(services, transaction, account, { ...edit, email }, by, now);
  if (emailChange === 'taken' || emailChange === 'tooMany') return emailChange;
  if (emailChange === 'respelled') fields.push('email');
  if (fields.length > 0)
    await recordModeration(transaction, 'profile_changed', { userId }, by, now, { fields });
  const mustNotify = emailChange !== 'changed' && (fields.length > 0 || emailChange === 'verified');
  if (mustNotify) await sendUpdateNotification(services, transaction, toMailbox(account, account.email), now);
  if (emailChange === 'requested') return 'requested';
  return fields.length > 0 || emailChange !== undefined ? 'done' : 'unchanged';
}

type EmailOutcome = 'changed' | 'respelled' | 'verified' | 'requested' | 'taken' | 'tooMany' | undefined;

async function editEmail(
  services: MailServices,
  transaction: Queryable,
  account: LockedUser,
  { email, verified }: AccountEdit & { email: string },
  by: Moderator,
  now: Date,
): Promise<EmailOutcome> {
  const { userId, emailVerified } = account;
  if (email === account.email) {
    if (!verified || emailVerified) return undefined;
    await verifyEmail(transaction, userId, email, now);
    await recordModeration(transaction, 'email_verified', { userId }, by, now, { email });
    return 'verified';
  }
  const isSameMailbox = emailKey(email) === emailKey(account.email);
  const mustBeConfirmed = emailVerified && !verified && !isSameMailbox && services.mailer.available;
  if (mustBeConfirmed) return requestEmailConfirmation(services, transaction, account, email, by, now);
  const isVerified = verified || (isSameMailbox && emailVerified);
  if (!(await changeEmail(transaction, userId, email, now, isVerified))) return 'taken';
  if (isSameMailbox) return 'respelled';
  const since = new Date(now.getTime() - REPORT_WINDOW * 1000);
  const isTrusted = emailVerified && !(await hasRecentEvent(transaction, userId, 'email_changed', since));
  await recordModeration(transaction, 'email_changed', { userId }, by, now, {
    email,
    former_email: account.email,
    verified: isVerified,
  });
  await notifyFormerMailbox(services, transaction, account, { email, isTrusted }, now);
  if (isVerified) await sendUpdateNotification(services, transaction, toMailbox(account, email, true), now);
  return 'changed';
}

async function requestEmailConfirmation(
  services: MailServices,
  transaction: Queryable,
  account: LockedUser,
  email: string,
  by: Moderator,
  now: Date,
): Promise<'requested' | 'tooMany'> {
  const { userId, locale } = account;
  const pending = await findNewestToken(transaction, userId, 'change_email', now);
  const isRepeat =
    pending?.email === email && now.getTime() - pending.createdAt.getTime() < DOUBLE_SUBMIT_WINDOW;
  if (isRepeat) return 'requested';
  if (!(await maySendEmailChangeTo({ ...services, database: transaction }, email, now))) return 'tooMany';
  await deleteTokens(transaction, userId, 'change_email');
  const detail = { since: now.toISOString(), fromNewBrowser: true } as const;
  const token = { kind: 'change_email', userId, email, detail } as const;
  const { link, code } = await issueToken(services, transaction, token, now);
  await services.mailer.send(
    { kind: 'deferred', template: 'change_email', userId, email, locale: locale ?? 'fr', link, code },
    userId,
    transaction,
  );
  await recordModeration(transaction, 'email_change_requested', { userId }, by, now, { email });
  const mailbox = toMailbox(account, account.email);
  const alert = { subject: email, fromNewBrowser: true };
  await sendSecurityAlert(services, transaction, mailbox, 'email_change_requested', alert, now);
  return 'requested';
}

/**
 * Notifies the former address, which an intruder may control. The email has a report link only if the address was
 * verified and unchanged for REPORT_WINDOW. Pending email changes and report links sent to other addresses are deleted.
 */
async function notifyFormerMailbox(
  services: MailServices,
  transaction: Queryable,
  account: LockedUser,
  { email, isTrusted }: { email: string; isTrusted: boolean },
  now: Date,
): Promise<void> {
  const { userId } = account;
  const notice = 'email_changed_by_admin';
  await deleteTokens(transaction, userId, 'change_email');
  await deleteOtherReportLinks(transaction, userId, email, notice);
  const mailbox = toMailbox(account, account.email);
  if (!isTrusted) return sendUpdateNotification(services, transaction, mailbox, now);
  if (!services.mailer.available) return;
  // `fromNewBrowser` keeps the report link valid for a day, even if the password is reset through the new address.
  const alert = { subject: email, fromNewBrowser: true };
  await sendSecurityAlert(services, transaction, mailbox, notice, alert, now);
}

const toMailbox = (
  { userId, name, locale, emailVerified }: LockedUser,
  email: string,
  verified = emailVerified,
): EmailRecipient => ({ userId, name, email, locale, emailVerified: verified });

async function sendUpdateNotification(
  services: MailServices,
  transaction: Queryable,
  mailbox: EmailRecipient,
  now: Date,
): Promise<void> {
  if (services.mailer.available)
    await sendNotification(services, mailbox, 'account_updated', {}, now, transaction);
}
