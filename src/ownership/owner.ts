// Records audit events and sends security alerts for owners' actions.
import { notifyInTransaction, type SessionContext } from '../accounts/notifications.ts';
import type { SecurityAlert } from '../mail/email.ts';
import type { MailServices } from '../mail/links.ts';
import { type AuditEvent, type EventKind, recordEvent } from '../store/audit-log.ts';
import type { Queryable } from '../store/database.ts';
import type { ResourceKind } from '../store/owned-resources.ts';
import type { Actor } from '../store/session-locks.ts';

export interface Owner extends Actor, SessionContext {
  /** Undefined for CLI commands, whose audit events have no actor. */
  ip: string | undefined;
}

export const toEventSubject = (kind: ResourceKind, id: string): { clientId: string } | { apiId: string } =>
  kind === 'application' ? { clientId: id } : { apiId: id };

export const recordOwnerEvent = (
  transaction: Queryable,
  kind: EventKind,
  { userId, ip }: Owner,
  subject: { clientId: string } | { apiId: string },
  now: Date,
  detail: AuditEvent['detail'] = {},
): Promise<void> => {
  const actorId = ip === undefined ? undefined : userId;
  return recordEvent(transaction, { kind, actorId, userId, ...subject, ip, detail }, now);
};

export const alertOwner = (
  services: MailServices,
  transaction: Queryable,
  kind: SecurityAlert,
  { userId: account, ip, userAgent, locale, since }: Owner,
  subject: string,
  now: Date,
): Promise<void> =>
  notifyInTransaction(services, transaction, { kind, account, ip, userAgent, locale, since, subject }, now);
