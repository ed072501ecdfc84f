// The line in the audit log: what an owner did with an API.
import type { Owner } from '../applications/owner.ts';
import type { Queryable } from '../store/database.ts';
import { type AuditEvent, type EventKind, recordEvent } from '../store/events.ts';

/** Writes a line of the audit log: what an owner did with an API. */
export const noteApi = (
  transaction: Queryable,
  kind: EventKind,
  { userId, address }: Owner,
  apiId: string,
  now: Date,
  detail: AuditEvent['detail'] = {},
): Promise<void> => {
  const actorId = address === undefined ? undefined : userId;
  return recordEvent(transaction, { kind, actorId, userId, apiId, address, detail }, now);
};
