// Deletes a client or an API of an account.
import type { Database } from '../store/database.ts';
import { deleteOwned, type Kind } from '../store/owned.ts';
import { requireSession } from '../store/session-locks.ts';
import { about, note, type Owner } from './owner.ts';

/**
 * Deletes a client or an API under the name that the user confirmed.
 * @returns false if it isn't theirs under this name
 */
export async function deleteThing(
  kind: Kind,
  database: Database,
  owner: Owner,
  id: string,
  name: string,
  now: Date,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    const detail = await deleteOwned(transaction, kind, owner.userId, id, name);
    if (detail === undefined) return false;
    await note(transaction, `${kind}_deleted`, owner, about(kind, id), now, detail);
    return true;
  });
}
