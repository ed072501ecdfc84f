// Email addresses, passwords and contact data of accounts.
import type { Locale } from '../i18n/index.ts';
import type { Queryable } from './database.ts';
import { claimEmail, emailKey, findByEmail, releaseEmail } from './emails.ts';
import { defineForResourceKinds, type ResourceKind } from './owned-resources.ts';
import { canResetPasswordSql } from './passwordless.ts';
import { execute, findOne, findValue, hasRows } from './query.ts';

export interface EmailRecipient {
  userId: string;
  name: string;
  email: string;
  locale: Locale | null;
  /** If false, another person may have entered the name and the email address. */
  emailVerified: boolean;
}

const COLUMNS = 'u.id as "userId", u.name, u.email, u.locale, u.email_verified as "emailVerified"';

export interface Contact extends EmailRecipient {
  invited: boolean;
  suspended: boolean;
  canResetPassword: boolean;
}

const SELECT_CONTACT_SQL = `select ${COLUMNS}, u.invited_at is not null as invited, u.suspended_at is not null as suspended,
    ${canResetPasswordSql('$1')} as "canResetPassword" from users u`;

export const findContact = findOne<Contact, [userId: string]>(
  'find_contact',
  `${SELECT_CONTACT_SQL} where u.id = $1::uuid`,
);

export const lockContact = findOne<Contact, [userId: string]>(
  'lock_contact',
  `${SELECT_CONTACT_SQL} where u.id = $1::uuid for no key update of u`,
);

export async function findActiveContact(database: Queryable, userId: string): Promise<Contact | undefined> {
  const contact = await findContact(database, userId);
  return contact?.suspended ? undefined : contact;
}

export const findActiveContactByEmail = findByEmail(
  findOne<Contact, [userId: string, key: string]>(
    'find_active_contact_by_email',
    `${SELECT_CONTACT_SQL} where u.id = $1::uuid and u.email_key = $2::text and u.suspended_at is null`,
  ),
);

const findOwnerAndName = defineForResourceKinds(({ kind, table, id }) =>
  findOne<{ userId: string | null; resourceName: string }, [id: string]>(
    `find_owner_of_${kind}`,
    `select o.owner_id as "userId", o.name as "resourceName" from ${table} o where o.${id} = $1::text`,
  ),
);

/** Returns undefined for an agent, which has no owner. */
export async function findOwnerContact(
  database: Queryable,
  kind: ResourceKind,
  id: string,
): Promise<(Contact & { resourceName: string }) | undefined> {
  const { userId, resourceName = '' } = (await findOwnerAndName(database, kind, id)) ?? {};
  const contact = userId ? await findContact(database, userId) : undefined;
  return contact && { ...contact, resourceName };
}

/** Returns false if the account's email address has changed. */
export const verifyEmail = hasRows<[userId: string, email: string, now: Date]>(
  'verify_email',
  `update users set email_verified = true,
    profile_updated_at = case when email_verified then profile_updated_at else $3::timestamptz end
  where id = $1::uuid and email = $2::text returning id`,
);

const updateEmail = findValue<
  string,
  [userId: string, email: string, key: string, now: Date, verified: boolean]
>(
  'change_email',
  `update users u set email = $2::text, email_key = $3::text, email_verified = $5::boolean,
    profile_updated_at = $4::timestamptz
  from (select email_key from users where id = $1::uuid for update) former
  where u.id = $1::uuid returning former.email_key`,
);

/**
 * Sessions and grants stay valid.
 * @returns false if the email address is taken. The caller must then roll back.
 */
export async function changeEmail(
  transaction: Queryable,
  userId: string,
  email: string,
  now: Date,
  verified = true,
): Promise<boolean> {
  const key = emailKey(email);
  const formerKey = await updateEmail(transaction, userId, email, key, now, verified);
  if (formerKey === undefined) return false;
  if (formerKey === key) return true;
  if (!(await claimEmail(transaction, email, userId))) return false;
  await releaseEmail(transaction, formerKey, userId);
  return true;
}

/**
 * Ends the account's sessions and revokes its grants.
 * @returns false if the password has changed or the account is suspended
 */
export const replacePassword = hasRows<[userId: string, currentHash: string, newHash: string]>(
  'replace_password',
  `update users set password_hash = $3::text, epoch = epoch + 1
  where id = $1::uuid and password_hash = $2::text and suspended_at is null returning id`,
);

/** Also accepts a pending invitation. */
export const recordPasswordChange = execute<[userId: string, now: Date]>(
  'record_password_change',
  'update users set password_set_at = $2::timestamptz, invited_at = null where id = $1::uuid',
);
