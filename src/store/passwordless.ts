// Accounts without a password: when one may be given up, and that nothing weaker takes its place.
import type { Queryable } from './database.ts';
import { affects } from './query.ts';
import { lockUser } from './users.ts';

/** Whether an account has a recovery code left, as a condition. @param userId a parameter */
export const hasCode = (userId: string): string =>
  `exists (select from recovery_codes r where r.user_id = ${userId}::uuid and r.used_at is null)`;

/**
 * Whether a link to the mailbox may set a password, as a condition; needs `users u`. Without a password, only if it would
 * bypass nothing else, or if the email is unverified: then the link ends everything else.
 * @param userId a parameter
 */
export const isResettable = (userId: string): string =>
  `(u.password_hash is not null or not u.email_verified or (u.passkey_count = 0 and not ${hasCode(userId)}))`;

const remove = affects<[userId: string]>(
  'remove_password',
  `update users u set password_hash = null, password_chosen_at = null
  where u.id = $1::uuid and u.password_hash is not null
    and (u.passkey_count >= 2 or (u.passkey_count = 1 and ${hasCode('$1')}))
  returning u.id`,
);

/** Removes the password. Returns false if fewer than two ways to sign in would be left, or there is none. */
export async function removePassword(transaction: Queryable, userId: string): Promise<boolean> {
  await lockUser(transaction, userId);
  return remove(transaction, userId);
}

/** Gives an account without a password one. False where it has one. */
export const addPassword = affects<[userId: string, passwordHash: string, now: Date]>(
  'add_password',
  `update users set password_hash = $2::text, password_chosen_at = $3::timestamptz, browser_epoch = browser_epoch + 1
  where id = $1::uuid and password_hash is null and suspended_at is null returning id`,
);
