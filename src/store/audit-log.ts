// The audit log: security events of accounts, clients and APIs.
import type { Messages } from '../i18n/index.ts';
import { findEmailsByUser } from './admin-accounts.ts';
import type { Queryable } from './database.ts';
import { NIL_USER_ID } from './nil-user-id.ts';
import { execute } from './query.ts';
import { statement } from './statement.ts';

export type EventKind = keyof Messages['operations']['events'];

export interface AuditEvent {
  kind: EventKind;
  /**
   * The account of the user who caused the event. Undefined if an anonymous user or the command line caused the event.
   */
  actorId?: string | undefined;
  userId?: string | undefined;
  clientId?: string | undefined;
  apiId?: string | undefined;
  ip?: string | undefined;
  /** Additional data. Must not contain secrets, passwords, codes or tokens. */
  detail?: Record<string, string | number | boolean | string[] | undefined>;
}

/** Records an event. If the event describes a change, call this function in the transaction that makes the change. */
export const recordEvent = execute<[event: AuditEvent, now: Date]>(
  'insert_event',
  `insert into events (at, kind, actor_id, user_id, client_id, ip, detail, api_id)
  values ($1::timestamptz, $2::text, $3::uuid, $4::uuid, $5::text, $6::text, $7::jsonb, $8::text)`,
  ({ kind, actorId, userId, clientId, ip, detail = {}, apiId }, now) => [
    now,
    kind,
    actorId,
    userId ?? NIL_USER_ID,
    clientId,
    ip,
    JSON.stringify(detail),
    apiId,
  ],
);

/** Records an event that a user caused in their own account. */
export const recordOwnEvent = (
  database: Queryable,
  event: Omit<AuditEvent, 'actorId'> & { userId: string },
  now: Date,
): Promise<void> => recordEvent(database, { ...event, actorId: event.userId }, now);

export interface EventRow {
  /** A bigint as a decimal string. */
  id: string;
  at: Date;
  /** A string rather than a union type, because a newer version may have recorded unknown kinds of events. */
  kind: string;
  actorId: string | null;
  actorEmail: string | null;
  userId: string | null;
  userEmail: string | null;
  clientId: string | null;
  clientName: string | null;
  apiId: string | null;
  apiName: string | null;
  ip: string | null;
  detail: Record<string, unknown>;
}

export interface EventFilter {
  kind?: string | undefined;
  userId?: string | undefined;
  clientId?: string | undefined;
  apiId?: string | undefined;
  ip?: string | undefined;
  /** The start (inclusive) and the end (exclusive) of the period. */
  from?: Date | undefined;
  until?: Date | undefined;
}

export interface EventCursor {
  at: Date;
  id: string;
}

const CONDITIONS: Record<keyof EventFilter, string> = {
  kind: 'e.kind = $kind::text',
  userId: '(e.user_id = $userId::uuid or e.actor_id = $userId::uuid)',
  clientId: 'e.client_id = $clientId::text',
  apiId: 'e.api_id = $apiId::text',
  ip: 'e.ip = $ip::text',
  from: 'e.at >= $from::timestamptz',
  until: 'e.at < $until::timestamptz',
};

/**
 * Lists events, newest first. Each combination of filters has a separate statement, so that PostgreSQL can use the best
 * index.
 */
export async function listEvents(
  database: Queryable,
  filter: EventFilter,
  { before, limit }: { before?: EventCursor | undefined; limit: number },
): Promise<EventRow[]> {
  const names = (Object.keys(CONDITIONS) as (keyof EventFilter)[]).filter(
    (name) => filter[name] !== undefined,
  );
  const conditions = names.map((name) => CONDITIONS[name]);
  if (before !== undefined) conditions.push('(e.at, e.id) < ($beforeAt::timestamptz, $beforeId::bigint)');
  // The CTE limits the joins to the rows of one page. Email addresses are read by a separate statement, because the
  // accounts may be on other Citus nodes.
  const list = statement(
    `events_${[...names, ...(before ? ['before'] : [])].join('_')}`,
    `with page as materialized (
      select e.id, e.at, e.kind, e.actor_id, e.user_id, e.client_id, e.ip, e.detail, e.api_id from events e
      where ${['true', ...conditions].join(' and ')} order by e.at desc, e.id desc limit $limit::int
    )
    select p.id::text, p.at, p.kind, p.actor_id as "actorId", nullif(p.user_id, $noUser::uuid) as "userId", p.client_id as "clientId", c.name as "clientName",
      p.api_id as "apiId", i.name as "apiName", p.ip, p.detail
    from page p left join clients c on c.client_id = p.client_id left join apis i on i.api_id = p.api_id
    order by p.at desc, p.id desc`,
  );
  const rows = await database.query<Omit<EventRow, 'actorEmail' | 'userEmail'>>(list, {
    ...filter,
    beforeAt: before?.at,
    beforeId: before?.id,
    limit,
    noUser: NIL_USER_ID,
  });
  const emailOf = await findEmailsByUser(
    database,
    rows.flatMap(({ actorId, userId }) => [actorId, userId]),
  );
  return rows.map((row) => ({ ...row, actorEmail: emailOf(row.actorId), userEmail: emailOf(row.userId) }));
}

export const eventToJson = (event: EventRow) => ({
  id: event.id,
  at: event.at.toISOString(),
  kind: event.kind,
  actor: event.actorId && { sub: event.actorId, email: event.actorEmail },
  account: event.userId && { sub: event.userId, email: event.userEmail },
  application: event.clientId && { client_id: event.clientId, name: event.clientName },
  api: event.apiId && { api_id: event.apiId, name: event.apiName },
  ip: event.ip,
  detail: event.detail,
});
