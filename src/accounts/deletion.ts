// Deleting one's own account, with all that hangs on it.
import type { Database } from '../store/database.ts';
import { lockAccount, lockOperators } from '../store/moderation.ts';
import { holdAllChanges } from '../store/session-changes.ts';
import { carryOut } from './moderation.ts';

/**
 * Deletes an account with all that hangs on it: profile, sessions, consents, ledger, applications; grants die with it at
 * once (D28), and its picture is pruned. Its `sub` was drawn at random and is never given again (D33).
 * @returns `lastOperator` when nobody would be left to look after the service
 */
export const deleteOwnAccount = (
  database: Database,
  { userId, address }: { userId: string; address: string },
  now: Date,
): Promise<'deleted' | 'lastOperator' | 'gone'> =>
  database.transaction(async (transaction) => {
    await holdAllChanges(transaction, userId);
    const operators = await lockOperators(transaction);
    const account = await lockAccount(transaction, userId);
    if (account === undefined) return 'gone';
    if (operators.length === 1 && operators[0] === userId) return 'lastOperator';
    await carryOut(transaction, 'delete', { ...account, userId }, { userId, address }, now);
    return 'deleted';
  });
