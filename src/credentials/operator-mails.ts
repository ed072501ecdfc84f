// What operators have sent to accounts, from the console and the command line: an invitation to an account that they made,
// a link for another password, the question whether an address is its owner's. Each opens nothing but what the mailbox's
// owner could have asked for, and is written down with who had it sent.
import { mayAskAsAccount, mayMail } from '../accounts/limits.ts';
import { type Moderator, mayModerate, recordModeration } from '../accounts/moderation.ts';
import type { Locale } from '../i18n/index.ts';
import type { Letter } from '../mail/letter.ts';
import { issueToken, type MailParts } from '../mail/links.ts';
import { randomSecret } from '../oauth/secrets.ts';
import { type Contact, holdContact, type Mailbox } from '../store/credentials.ts';
import type { Queryable } from '../store/database.ts';
import type { EventKind } from '../store/events.ts';
import { findUserByEmail } from '../store/users.ts';
import type { PasswordHasher } from './password-hashing.ts';
import { createAccount } from './sign-up.ts';

/** Asked for the same within so many milliseconds, it was one wish: a form that was sent twice. */
const IMPATIENCE = 60_000;

export type Invited =
  | { outcome: 'invited'; userId: string }
  /** There is an account with this email: it stays as it is. */
  | { outcome: 'taken'; userId: string | undefined }
  | { outcome: 'notOperator' };

/** Makes an account that nobody has the password of, and sends its owner a link to choose one. */
export async function invite(
  parts: Pick<MailParts, 'config' | 'database' | 'sealer' | 'mailer'> & { hasher: PasswordHasher },
  { name, email, locale }: { name: string; email: string; locale: Locale },
  by: Moderator,
  now: Date,
): Promise<Invited> {
  const { database, hasher, mailer } = parts;
  // Before anything is locked: whatever operators do waits for that.
  const passwordHash = await hasher.hash(randomSecret());
  const invited = await database.transaction(async (transaction): Promise<Invited | undefined> => {
    if (!(await mayModerate(transaction, by))) return { outcome: 'notOperator' };
    const fields = { name, email, locale, passwordHash, invited: true };
    const created = await createAccount(transaction, fields, now);
    if (created === undefined) return undefined;
    const { userId } = created;
    await send(parts, transaction, 'invitation', { userId, name, email, locale, emailVerified: false }, now);
    await recordModeration(transaction, 'account_invited', { userId }, by, now, { email });
    return { outcome: 'invited', userId };
  });
  mailer.wake();
  if (invited !== undefined) return invited;
  const present = await findUserByEmail(database, email);
  const again = present?.name === name && now.getTime() - (present.invitedAt?.getTime() ?? 0) < IMPATIENCE;
  return again
    ? { outcome: 'invited', userId: present.userId }
    : { outcome: 'taken', userId: present?.userId };
}

export type OperatorMail = 'invitation' | 'reset_password' | 'verify_email';

/** Which of them an account as it is can make use of. */
export const mailsFor = (
  account: Pick<Contact, 'suspended' | 'invited' | 'emailVerified' | 'resettable'>,
): OperatorMail[] => {
  if (account.suspended) return [];
  if (account.invited) return ['invitation'];
  const mails: OperatorMail[] = account.resettable ? ['reset_password'] : [];
  return account.emailVerified ? mails : [...mails, 'verify_email'];
};

const EVENTS: Record<OperatorMail, EventKind> = {
  invitation: 'invitation_sent',
  reset_password: 'password_offered',
  verify_email: 'verification_offered',
};

/** Sends one of them; `unfit`: the account has no use for it any more, or is gone. */
export async function sendToAccount(
  parts: MailParts,
  mail: OperatorMail,
  { userId, email }: { userId: string; email: string },
  by: Moderator,
  now: Date,
): Promise<'sent' | 'tooMany' | 'unfit' | 'notOperator'> {
  if (mail === 'verify_email' && !(await mayAskAsAccount(parts, userId, now))) return 'tooMany';
  if (!(await mayMail(parts, email, now))) return 'tooMany';
  const outcome = await parts.database.transaction(async (transaction) => {
    if (!(await mayModerate(transaction, by, userId))) return 'notOperator';
    const mailbox = await holdContact(transaction, userId);
    if (mailbox === undefined || !mailsFor(mailbox).includes(mail)) return 'unfit';
    await send(parts, transaction, mail, mailbox, now);
    await recordModeration(transaction, EVENTS[mail], { userId }, by, now, { email: mailbox.email });
    return 'sent';
  });
  parts.mailer.wake();
  return outcome;
}

async function send(
  parts: Pick<MailParts, 'config' | 'sealer' | 'mailer'>,
  transaction: Queryable,
  kind: OperatorMail,
  { userId, name, email, emailVerified, locale }: Mailbox,
  now: Date,
): Promise<void> {
  const { link, code } = await issueToken(parts, transaction, { kind, userId, email }, now);
  // Somebody else's mailbox may have been named; who was invited by name is greeted by it.
  const to = { name: emailVerified || kind === 'invitation' ? name : '', email };
  const addressed = { to, locale: locale ?? 'fr', link };
  const letter: Letter = kind === 'verify_email' ? { kind, ...addressed, code } : { kind, ...addressed };
  await parts.mailer.send(letter, userId, transaction);
}
