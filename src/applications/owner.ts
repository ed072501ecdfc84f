// Who acts on an application or an API of their own: the session it takes, a form good for one use, and the line in the audit log.
import { accessDenied } from '../oauth/errors.ts';
import type { Queryable } from '../store/database.ts';
import { type AuditEvent, type EventKind, recordEvent } from '../store/events.ts';
import { type Actor, holdSession } from '../store/session-locks.ts';

/** Who does something with an application or an API of their own, and from where. */
export interface Owner extends Actor {
  /** Undefined: it is the command line that acts for them, and nobody's account did it. */
  address: string | undefined;
}

/** Holds the session that something is changed in. @throws OAuthError `access_denied` when it is over */
export async function requireSession(transaction: Queryable, actor: Actor, now: Date): Promise<void> {
  if (!(await holdSession(transaction, actor, now))) throw accessDenied('The session has ended.');
}

/** A form that is good for one use: its value, which only the session that it was made for can send, until then. */
export interface OneUseForm {
  value: string;
  until: Date;
}

/** Writes a line of the audit log: what an owner did with an application or an API. */
export const note = (
  transaction: Queryable,
  kind: EventKind,
  { userId, address }: Owner,
  about: { clientId: string } | { apiId: string },
  now: Date,
  detail: AuditEvent['detail'] = {},
): Promise<void> => {
  const actorId = address === undefined ? undefined : userId;
  return recordEvent(transaction, { kind, actorId, userId, ...about, address, detail }, now);
};
