import { accessDenied } from '../oauth/errors.ts';
import type { Queryable } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { type Actor, holdSession } from '../store/session-changes.ts';

/** Who does something with an application of their own, and from where. */
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

/** Writes a line of the audit log: what an owner did with an application. */
export const note = (
  transaction: Queryable,
  kind: Parameters<typeof recordEvent>[1]['kind'],
  owner: Owner,
  clientId: string,
  now: Date,
  detail: NonNullable<Parameters<typeof recordEvent>[1]['detail']>,
): Promise<void> => recordEvent(transaction, { kind, ...doneBy(owner), clientId, detail }, now);

/** What the audit log says of who did something, and to whom. */
export const doneBy = ({ userId, address }: Owner) => ({
  actorId: address === undefined ? undefined : userId,
  userId,
  address,
});
