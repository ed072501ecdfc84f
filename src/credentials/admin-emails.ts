// Sends emails on behalf of administrators: invitations, password links and email verification.

import { lockModerator, type Moderator, recordModeration } from '../accounts/moderation.ts';
import { mayRequestEmailAsUser, maySendLinkTo } from '../accounts/rate-limits.ts';
import type { Locale } from '../i18n/index.ts';
import type { Email } from '../mail/email.ts';
import { issueToken, type MailServices } from '../mail/links.ts';
import { randomSecret } from '../oauth/secrets.ts';
import type { EventKind } from '../store/audit-log.ts';
import { type Contact, type EmailRecipient, lockContact } from '../store/credentials.ts';
import type { Queryable } from '../store/database.ts';
import { findUserByEmail } from '../store/users.ts';
import type { PasswordHasher } from './password-hashing.ts';
import { createAccount } from './sign-up.ts';

/** Milliseconds. */
const DOUBLE_SUBMIT_WINDOW = 60_000;

export type InvitationOutcome =
  | { outcome: 'invited'; userId: string }
  | { outcome: 'taken'; userId: string | undefined }
  | { outcome: 'notAdmin' };

export async function sendInvitation(
  services: Pick<MailServices, 'config' | 'database' | 'sealer' | 'mailer'> & { hasher: PasswordHasher },
  { name, email, locale }: { name: string; email: string; locale: Locale },
  actor: Moderator,
  now: Date,
): Promise<InvitationOutcome> {
  const { database, hasher, mailer } = services;
  // Hash before the transaction because the transaction blocks other administrators' actions.
  const passwordHash = await hasher.hash(randomSecret());
  const invited = await database.transaction(async (transaction): Promise<InvitationOutcome | undefined> => {
    if (!(await lockModerator(transaction, actor))) return { outcome: 'notAdmin' };
    const fields = { name, email, locale, passwordHash, invited: true };
    const created = await createAccount(transaction, fields, now);
    if (created === undefined) return undefined;
    const { userId } = created;
    await sendEmail(
      services,
      transaction,
      'invitation',
      { userId, name, email, locale, emailVerified: false },
      now,
    );
    await recordModeration(transaction, 'account_invited', { userId }, actor, now, { email });
    return { outcome: 'invited', userId };
  });
  mailer.wake();
  if (invited !== undefined) return invited;
  const existing = await findUserByEmail(database, email);
  const isRepeat =
    existing?.name === name && now.getTime() - (existing.invitedAt?.getTime() ?? 0) < DOUBLE_SUBMIT_WINDOW;
  return isRepeat
    ? { outcome: 'invited', userId: existing.userId }
    : { outcome: 'taken', userId: existing?.userId };
}

export type AdminEmail = 'invitation' | 'reset_password' | 'verify_email';

export const listSendableEmails = (
  account: Pick<Contact, 'suspended' | 'invited' | 'emailVerified' | 'canResetPassword'>,
): AdminEmail[] => {
  if (account.suspended) return [];
  if (account.invited) return ['invitation'];
  const emails: AdminEmail[] = account.canResetPassword ? ['reset_password'] : [];
  return account.emailVerified ? emails : [...emails, 'verify_email'];
};

const ADMIN_EMAIL_EVENTS: Record<AdminEmail, EventKind> = {
  invitation: 'invitation_sent',
  reset_password: 'password_offered',
  verify_email: 'verification_offered',
};

/** @returns `notApplicable` if the account was deleted or its state doesn't allow this email */
export async function sendAdminEmail(
  services: MailServices,
  kind: AdminEmail,
  { userId, email }: { userId: string; email: string },
  actor: Moderator,
  now: Date,
): Promise<'sent' | 'tooMany' | 'notApplicable' | 'notAdmin'> {
  if (kind === 'verify_email' && !(await mayRequestEmailAsUser(services, userId, now))) return 'tooMany';
  if (!(await maySendLinkTo(services, email, now))) return 'tooMany';
  const outcome = await services.database.transaction(async (transaction) => {
    if (!(await lockModerator(transaction, actor, userId))) return 'notAdmin';
    const mailbox = await lockContact(transaction, userId);
    if (mailbox === undefined || !listSendableEmails(mailbox).includes(kind)) return 'notApplicable';
    await sendEmail(services, transaction, kind, mailbox, now);
    await recordModeration(transaction, ADMIN_EMAIL_EVENTS[kind], { userId }, actor, now, {
      email: mailbox.email,
    });
    return 'sent';
  });
  services.mailer.wake();
  return outcome;
}

async function sendEmail(
  services: Pick<MailServices, 'config' | 'sealer' | 'mailer'>,
  transaction: Queryable,
  kind: AdminEmail,
  { userId, name, email, emailVerified, locale }: EmailRecipient,
  now: Date,
): Promise<void> {
  const { link, code } = await issueToken(services, transaction, { kind, userId, email }, now);
  // Except for invitations, emails to unverified addresses omit the user's name.
  const to = { name: emailVerified || kind === 'invitation' ? name : '', email };
  const fields = { to, locale: locale ?? 'fr', link };
  const message: Email = kind === 'verify_email' ? { kind, ...fields, code } : { kind, ...fields };
  await services.mailer.send(message, userId, transaction);
}
