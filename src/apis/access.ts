// What the owner of an API decides about applications and agents that have access to it: cutting off, letting in again.
import type { Owner } from '../ownership/owner.ts';
import { excludeClient, readmitClient } from '../store/api-access.ts';
import type { Queryable } from '../store/database.ts';
import { type EventKind, recordOwnEvent } from '../store/events.ts';
import { lockOwnApi } from '../store/own-apis.ts';
import { requireSession } from '../store/session-locks.ts';

/** An API, and an application or agent that its owner decides about. */
export interface Access {
  apiId: string;
  clientId: string;
}

/**
 * Cuts an application or agent off from an API of one's own: its codes, grants and tokens for it end at once, and it gets no
 * others. False when it is cut off already, or there is no such API or application.
 */
export const cutOff = (transaction: Queryable, owner: Owner, access: Access, now: Date): Promise<boolean> =>
  decide(transaction, owner, access, 'api_access_cut', excludeClient, now);

/** Lets it in again, for what it asks from now on. False when it is not cut off. */
export const letIn = (transaction: Queryable, owner: Owner, access: Access, now: Date): Promise<boolean> =>
  decide(transaction, owner, access, 'api_access_restored', readmitClient, now);

async function decide(
  transaction: Queryable,
  owner: Owner,
  access: Access,
  kind: EventKind,
  write: (transaction: Queryable, ownerId: string, access: Access, now: Date) => Promise<boolean>,
  now: Date,
): Promise<boolean> {
  await requireSession(transaction, owner, now);
  const { userId, address } = owner;
  // A new owner of the API, who is waited for, decides instead.
  if ((await lockOwnApi(transaction, userId, access.apiId)) === undefined) return false;
  if (!(await write(transaction, userId, access, now))) return false;
  await recordOwnEvent(transaction, { kind, userId, ...access, address }, now);
  return true;
}
