// Adds and removes an account's password, and decides whether it may be reset.
import type { Queryable } from './database.ts';
import { hasRows } from './query.ts';
import { lockUser } from './users.ts';

/** SQL condition: the account has an unused recovery code. @param userId an SQL parameter */
export const hasRecoveryCodeSql = (userId: string): string =>
  `exists (select from recovery_codes r where r.user_id = ${userId}::uuid and r.used_at is null)`;

/**
 * SQL condition: the password may be set through an emailed link. If the account has no password, this requires that
 * the email address is unverified or that the account has no other sign-in method. If the email address is unverified,
 * setting the password removes everything else that was set up. Requires `users u`.
 * @param userId an SQL parameter
 */
export const canResetPasswordSql = (userId: string): string =>
  `(u.password_hash is not null or not u.email_verified or (u.passkey_count = 0 and not ${hasRecoveryCodeSql(userId)}))`;

const remove = hasRows<[userId: string]>(
  'remove_password',
  `update users u set password_hash = null, password_set_at = null
  where u.id = $1::uuid and u.password_hash is not null
    and (u.passkey_count >= 2 or (u.passkey_count = 1 and ${hasRecoveryCodeSql('$1')}))
  returning u.id`,
);

/**
 * Removes an account's password. Returns false if the account has no password, or would have fewer than two sign-in
 * methods left.
 */
export async function removePassword(transaction: Queryable, userId: string): Promise<boolean> {
  await lockUser(transaction, userId);
  return remove(transaction, userId);
}

/** Adds a password to an account. Returns false if the account already has a password. */
export const addPassword = hasRows<[userId: string, passwordHash: string, now: Date]>(
  'add_password',
  `update users set password_hash = $2::text, password_set_at = $3::timestamptz, browser_epoch = browser_epoch + 1
  where id = $1::uuid and password_hash is null and suspended_at is null returning id`,
);
