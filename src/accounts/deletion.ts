// Deleting one's own account, with all that hangs on it.
import type { Queryable } from '../store/database.ts';
import { lockAccount, lockOtherOperator } from '../store/moderation.ts';
import { holdAllChanges } from '../store/session-locks.ts';
import { lockTokens } from '../store/unverified-accounts.ts';
import { findUserByEmail } from '../store/users.ts';
import { carryOut } from './moderation.ts';

/**
 * Deletes an account in a transaction, with its profile, picture, sessions, consents, clients and APIs. Grants are dead at
 * once, and pruned. Its `sub` was drawn at random and is never given again.
 * @returns `lastOperator` if the service would be left without an administrator
 */
export async function deleteOwnAccount(
  transaction: Queryable,
  { userId, address }: { userId: string; address: string },
  now: Date,
): Promise<'deleted' | 'lastOperator' | 'gone'> {
  await holdAllChanges(transaction, userId);
  const account = await lockAccount(transaction, userId);
  if (account === undefined) return 'gone';
  if (account.isActiveOperator && !(await lockOtherOperator(transaction, userId))) return 'lastOperator';
  await carryOut(transaction, 'delete', { ...account, userId }, { userId, address }, now);
  return 'deleted';
}

/**
 * Deletes the account that uses an email address without having verified it: it must not keep the owner of the mailbox
 * from using it.
 * @returns false if a verified account or an operator has the address; true if the address is free now
 */
export async function removeUnverifiedAccount(
  transaction: Queryable,
  email: string,
  by: { address: string; reason: string },
  now: Date,
): Promise<boolean> {
  const found = await findUserByEmail(transaction, email);
  if (found === undefined) return true;
  const { userId } = found;
  await lockTokens(transaction, userId);
  await holdAllChanges(transaction, userId);
  const account = await lockAccount(transaction, userId);
  // Read again, because the lock may have been waited for.
  const locked = await findUserByEmail(transaction, email);
  if (account === undefined || locked?.userId !== userId) return true;
  if (locked.emailVerified || locked.operator) return false;
  await carryOut(transaction, 'delete', { ...account, userId }, by, now);
  return true;
}
