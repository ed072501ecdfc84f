// What an account is entered by and reached at: its mail address and its password.
import type { Locale } from '../i18n/index.ts';
import type { Queryable } from './database.ts';
import { byEmail, claimEmail, emailKey, releaseEmail } from './emails.ts';
import { forKinds, type Kind } from './owned.ts';
import { isResettable } from './passwordless.ts';
import { affects, execute, findOne, findValue } from './query.ts';

export interface Mailbox {
  userId: string;
  name: string;
  email: string;
  locale: Locale | null;
  /** Whether its owner has answered from it: otherwise a stranger may have chosen both name and address. */
  emailVerified: boolean;
}

const COLUMNS = 'u.id as "userId", u.name, u.email, u.locale, u.email_verified as "emailVerified"';

/** An account's mailbox, with what decides about emails to it. */
export interface Contact extends Mailbox {
  /** Whether the account has never had a password. */
  invited: boolean;
  suspended: boolean;
  /** Whether a link may set its password. */
  resettable: boolean;
}

/** Needs the account as `$1`. */
const CONTACT = `select ${COLUMNS}, u.invited_at is not null as invited, u.suspended_at is not null as suspended,
    ${isResettable('$1')} as resettable from users u`;

/** The mailbox of an account, suspended or not. */
export const findContact = findOne<Contact, [userId: string]>(
  'find_contact',
  `${CONTACT} where u.id = $1::uuid`,
);

/** The same, locked until the transaction ends. */
export const holdContact = findOne<Contact, [userId: string]>(
  'hold_contact',
  `${CONTACT} where u.id = $1::uuid for no key update of u`,
);

export async function findMailbox(database: Queryable, userId: string): Promise<Contact | undefined> {
  const contact = await findContact(database, userId);
  return contact?.suspended ? undefined : contact;
}

/** The same by its address, in any case. */
export const findMailboxByEmail = byEmail(
  findOne<Contact, [userId: string, key: string]>(
    'find_mailbox_by_email',
    `${CONTACT} where u.id = $1::uuid and u.email_key = $2::text and u.suspended_at is null`,
  ),
);

const findOwner = forKinds(({ kind, table, id }) =>
  findOne<{ userId: string | null; thing: string }, [id: string]>(
    `find_owner_of_${kind}`,
    `select o.owner_id as "userId", o.name as thing from ${table} o where o.${id} = $1::text`,
  ),
);

/** The contact of the owner of a client or an API, with its name; undefined for an agent, too. */
export async function findContactOf(
  database: Queryable,
  kind: Kind,
  id: string,
): Promise<(Contact & { thing: string }) | undefined> {
  const { userId, thing = '' } = (await findOwner(database, kind, id)) ?? {};
  const contact = userId ? await findContact(database, userId) : undefined;
  return contact && { ...contact, thing };
}

/** Marks an address as verified, unless the account has another one by now. */
export const verifyEmail = affects<[userId: string, email: string, now: Date]>(
  'verify_email',
  `update users set email_verified = true,
    profile_updated_at = case when email_verified then profile_updated_at else $3::timestamptz end
  where id = $1::uuid and email = $2::text returning id`,
);

const writeEmail = findValue<string, [userId: string, email: string, key: string, now: Date]>(
  'change_email',
  `update users u set email = $2::text, email_key = $3::text, email_verified = true,
    profile_updated_at = $4::timestamptz
  from (select email_key from users where id = $1::uuid for update) former
  where u.id = $1::uuid returning former.email_key`,
);

/**
 * Gives an account another, verified email in a transaction. Its sessions and grants continue.
 * @returns false if another account has the email: the caller rolls back
 */
export async function changeEmail(
  transaction: Queryable,
  userId: string,
  email: string,
  now: Date,
): Promise<boolean> {
  const key = emailKey(email);
  const former = await writeEmail(transaction, userId, email, key, now);
  if (former === undefined) return false;
  if (former === key) return true;
  if (!(await claimEmail(transaction, email, userId))) return false;
  await releaseEmail(transaction, former, userId);
  return true;
}

/** Changes a password that was just verified: false when it was changed meanwhile. Ends all that D28 says. */
export const replacePassword = affects<[userId: string, present: string, next: string]>(
  'replace_password',
  `update users set password_hash = $3::text, epoch = epoch + 1
  where id = $1::uuid and password_hash = $2::text and suspended_at is null returning id`,
);

/** Whoever the account is for has just chosen its password: an invitation is answered by it, too. */
export const notePassword = execute<[userId: string, now: Date]>(
  'note_password',
  'update users set password_chosen_at = $2::timestamptz, invited_at = null where id = $1::uuid',
);
