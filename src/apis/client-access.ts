// Lets an API's owner revoke and restore a client's access to the API.
import type { Owner } from '../ownership/owner.ts';
import { restoreApiAccess, revokeApiAccess } from '../store/api-access.ts';
import { type EventKind, recordOwnEvent } from '../store/audit-log.ts';
import type { Queryable } from '../store/database.ts';
import { lockOwnedApi } from '../store/owned-apis.ts';
import { requireLiveSession } from '../store/session-locks.ts';

export interface ClientAccess {
  apiId: string;
  clientId: string;
}

/** Revokes a client's codes, grants and tokens for an API, and blocks new requests. */
export const revokeClientAccess = (
  transaction: Queryable,
  owner: Owner,
  access: ClientAccess,
  now: Date,
): Promise<boolean> => changeClientAccess(transaction, owner, access, 'api_access_cut', revokeApiAccess, now);

/** Unblocks a client. Revoked grants stay revoked. */
export const restoreClientAccess = (
  transaction: Queryable,
  owner: Owner,
  access: ClientAccess,
  now: Date,
): Promise<boolean> =>
  changeClientAccess(transaction, owner, access, 'api_access_restored', restoreApiAccess, now);

async function changeClientAccess(
  transaction: Queryable,
  owner: Owner,
  access: ClientAccess,
  kind: EventKind,
  write: (transaction: Queryable, ownerId: string, access: ClientAccess, now: Date) => Promise<boolean>,
  now: Date,
): Promise<boolean> {
  await requireLiveSession(transaction, owner, now);
  const { userId, ip } = owner;
  // The API may have been transferred to another owner since the page was shown.
  if ((await lockOwnedApi(transaction, userId, access.apiId)) === undefined) return false;
  if (!(await write(transaction, userId, access, now))) return false;
  await recordOwnEvent(transaction, { kind, userId, ...access, ip }, now);
  return true;
}
