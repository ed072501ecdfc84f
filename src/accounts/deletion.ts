// Deletes accounts at the owner's request, or to free an unverified email address.

import { lockAccount, lockOtherAdmin } from '../store/admin-actions.ts';
import type { Queryable } from '../store/database.ts';
import { lockAccountChanges } from '../store/session-locks.ts';
import { lockOneTimeTokens } from '../store/unverified-accounts.ts';
import { findUserByEmail } from '../store/users.ts';
import { applyAccountAction } from './moderation.ts';

/**
 * Deletes an account with its profile, picture, sessions, consents, clients and APIs. Grants issued for the account
 * become invalid immediately and are pruned later. The account's `sub` is random, so it is never reused.
 * @returns `lastAdmin` if the service would be left without an administrator
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
 * Frees an unverified email address for its owner by deleting the account that uses it.
 * @returns true if the address is now available; false if it has been verified or belongs to an administrator
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
  // The account may have changed while this transaction was waiting for the lock.
  const locked = await findUserByEmail(transaction, email);
  if (account === undefined || locked?.userId !== userId) return true;
  if (locked.emailVerified || locked.isAdmin) return false;
  await applyAccountAction(transaction, 'delete', { ...account, userId }, by, now);
  return true;
}
