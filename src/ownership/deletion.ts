// Deletes a client or an API of an account.
import type { Queryable } from '../store/database.ts';
import { deleteOwned, type Kind } from '../store/owned.ts';
import { deletePicture } from '../store/pictures.ts';
import { requireSession } from '../store/session-locks.ts';
import { about, note, type Owner } from './owner.ts';

/**
 * Deletes a client or an API in a transaction, under the name that the user confirmed.
 * @returns false if it isn't theirs under this name
 */
export async function deleteThing(
  kind: Kind,
  transaction: Queryable,
  owner: Owner,
  id: string,
  name: string,
  now: Date,
): Promise<boolean> {
  await requireSession(transaction, owner, now);
  const deleted = await deleteOwned(transaction, kind, owner.userId, id, name);
  if (deleted === undefined) return false;
  const { identifier, logo } = deleted;
  if (logo) await deletePicture(transaction, logo);
  await note(transaction, `${kind}_deleted`, owner, about(kind, id), now, { name, identifier });
  return true;
}
