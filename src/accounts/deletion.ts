// Deletes accounts at the owner's request, or to free an unverified email address.

import { lockAccount, lockOtherAdmin } from '../store/admin-actions.ts';
import type { Queryable } from '../store/database.ts';
import { lockAccountChanges } from '../store/session-locks.ts';
import { lockOneTimeTokens } from '../store/unverified-accounts.ts';
import { findUserByEmail } from '../store/users.ts';
import { applyAccountAction } from './moderation.ts';

/**
 * Deletes an account and everything that it owns. Its grants become invalid immediately and are pruned later.
 * @returns `lastAdmin` if the service would have no administrator
 */
export async function deleteOwnAccount(
  transaction: Queryable,
  { userId, ip }: { userId: string; ip: string },
  now: Date,
): Promise<'deleted' | 'lastAdmin' | 'notFound'> {
  await lockAccountChanges(transaction, userId);
  const account = await lockAccount(transaction, userId);
  if (account === undefined) return 'notFound';
  if (account.isActiveAdmin && !(await lockOtherAdmin(transaction, userId))) return 'lastAdmin';
  await applyAccountAction(transaction, 'delete', { ...account, userId }, { userId, ip }, now);
  return 'deleted';
}

/**
 * Deletes the unverified account that uses an email address.
 * @returns whether the address is now available. False if the account is verified or belongs to an administrator.
 */
export async function deleteUnverifiedAccount(
  transaction: Queryable,
  email: string,
  by: { ip: string; reason: string },
  now: Date,
): Promise<boolean> {
  const found = await findUserByEmail(transaction, email);
  if (found === undefined) return true;
  const { userId } = found;
  await lockOneTimeTokens(transaction, userId);
  await lockAccountChanges(transaction, userId);
  const account = await lockAccount(transaction, userId);
  // The account may have changed before this transaction got the lock.
  const locked = await findUserByEmail(transaction, email);
  if (account === undefined || locked?.userId !== userId) return true;
  if (locked.emailVerified || locked.isAdmin) return false;
  await applyAccountAction(transaction, 'delete', { ...account, userId }, by, now);
  return true;
}
