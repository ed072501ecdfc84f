// All data of a person: taken away as a whole (exports.ts), or deleted with the account.
import type { Database } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { lockAccount, lockOperators } from '../store/moderation.ts';
import { readProfile, type Section } from '../store/personal-data.ts';
import { carryOut } from './moderation.ts';

interface Own {
  userId: string;
  address: string;
}

/** Reads what an export begins with, and writes down that all of it is taken. */
export async function beginExport(
  database: Database,
  { userId, address }: Own,
  now: Date,
): Promise<Section | undefined> {
  await recordEvent(database, { kind: 'data_exported', actorId: userId, userId, address }, now);
  return readProfile(database, userId);
}

/**
 * Deletes an account with all that hangs on it: profile, sessions, consents, ledger, applications; grants die with it at
 * once (D28), and its picture is pruned. Its `sub` was drawn at random and is never given again (D33).
 * @returns `lastOperator` when nobody would be left to look after the service
 */
export const deleteOwnAccount = (
  database: Database,
  { userId, address }: Own,
  now: Date,
): Promise<'deleted' | 'lastOperator' | 'gone'> =>
  database.transaction(async (transaction) => {
    const operators = await lockOperators(transaction);
    const account = await lockAccount(transaction, userId);
    if (account === undefined) return 'gone';
    if (operators.length === 1 && operators[0] === userId) return 'lastOperator';
    await carryOut(transaction, 'delete', { ...account, userId }, { userId, address }, now);
    return 'deleted';
  });
