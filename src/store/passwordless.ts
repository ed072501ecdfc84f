// Accounts without a password: when one may be given up, and that nothing weaker takes its place.
import type { Queryable } from './database.ts';
import { affects } from './query.ts';
import { statement } from './statement.ts';

/** Whether an account has a recovery code left, as a condition; needs `users u`. */
export const HAS_CODE = 'exists (select from recovery_codes r where r.user_id = u.id and r.used_at is null)';

/**
 * Whether a link to the mailbox may set a password, as a condition; needs `users u`. Where there is none, only when nothing else
 * is left that it would be a way around, or when the address is unverified: then the link ends everything else.
 */
export const RESETTABLE = `(u.password_hash is not null or not u.email_verified
  or (u.passkey_count = 0 and not ${HAS_CODE}))`;

// Locked first, so that the next statement sees what whoever held it has left: a decision in a stale look makes two winners.
const LOCK = statement(
  'lock_account_for_password',
  'select u.id from users u where u.id = $1::uuid for no key update of u',
);
const REMOVE = statement(
  'remove_password',
  `update users u set password_hash = null, password_chosen_at = null
  where u.id = $1::uuid and u.password_hash is not null
    and (u.passkey_count >= 2 or (u.passkey_count = 1 and ${HAS_CODE}))
  returning u.id`,
);

/** Gives the password up. False where fewer than two ways in would be left, or there is none. */
export async function removePassword(transaction: Queryable, userId: string): Promise<boolean> {
  await transaction.query(LOCK, [userId]);
  return (await transaction.query(REMOVE, [userId])).length === 1;
}

/** Gives an account without a password one. False where it has one. */
export const addPassword = affects<[userId: string, passwordHash: string, now: Date]>(
  'add_password',
  `update users set password_hash = $2::text, password_chosen_at = $3::timestamptz, browser_epoch = browser_epoch + 1
  where id = $1::uuid and password_hash is null and suspended_at is null returning id`,
);

/** Whether a link to its mailbox may set the password of an account. */
export const isResettable = affects<[userId: string]>(
  'is_password_resettable',
  `select 1 as one from users u where u.id = $1::uuid and ${RESETTABLE}`,
);
