// The user who acts on a client or an API of theirs, and their line in the audit log.
import { type InSession, notifyWithin } from '../accounts/notifications.ts';
import type { SecurityNotice } from '../mail/letter.ts';
import type { MailParts } from '../mail/links.ts';
import type { Queryable } from '../store/database.ts';
import { type AuditEvent, type EventKind, recordEvent } from '../store/events.ts';
import type { Kind } from '../store/owned.ts';
import type { Actor } from '../store/session-locks.ts';

export interface Owner extends Actor, InSession {
  /** Their IP. Undefined if the command line acts for them: the audit log then names no actor. */
  address: string | undefined;
}

/** What an event is about, as the audit log names it. */
export const about = (kind: Kind, id: string): { clientId: string } | { apiId: string } =>
  kind === 'application' ? { clientId: id } : { apiId: id };

/** Records in the audit log what an owner did with a client or an API. */
export const note = (
  transaction: Queryable,
  kind: EventKind,
  { userId, address }: Owner,
  subject: { clientId: string } | { apiId: string },
  now: Date,
  detail: AuditEvent['detail'] = {},
): Promise<void> => {
  const actorId = address === undefined ? undefined : userId;
  return recordEvent(transaction, { kind, actorId, userId, ...subject, address, detail }, now);
};

/** Sends the owner a security alert, in the transaction of the change. */
export const alertOwner = (
  parts: MailParts,
  transaction: Queryable,
  kind: SecurityNotice,
  { userId: account, address, userAgent, locale, since }: Owner,
  subject: string,
  now: Date,
): Promise<void> =>
  notifyWithin(parts, transaction, { kind, account, address, userAgent, locale, since, subject }, now);
