// Deletes a client or an API on behalf of its owner.
import type { Queryable } from '../store/database.ts';
import { deleteOwnedResource, type ResourceKind } from '../store/owned-resources.ts';
import { deletePicture } from '../store/pictures.ts';
import { requireLiveSession } from '../store/session-locks.ts';
import { type Owner, recordOwnerEvent, toEventSubject } from './owner.ts';

/**
 * @param name the name that the user confirmed
 * @returns false if the user owns no client or API with this ID and name
 */
export async function deleteResource(
  kind: ResourceKind,
  transaction: Queryable,
  owner: Owner,
  id: string,
  name: string,
  now: Date,
): Promise<boolean> {
  await requireLiveSession(transaction, owner, now);
  const deleted = await deleteOwnedResource(transaction, kind, owner.userId, id, name);
  if (deleted === undefined) return false;
  const { identifier, logo } = deleted;
  if (logo) await deletePicture(transaction, logo);
  await recordOwnerEvent(transaction, `${kind}_deleted`, owner, toEventSubject(kind, id), now, {
    name,
    identifier,
  });
  return true;
}
