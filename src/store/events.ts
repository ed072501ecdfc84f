// The audit log: what happened to accounts and applications, who did it, when and from where.
import type { Messages } from '../i18n/index.ts';
import { findEmails } from './account-lists.ts';
import type { Queryable } from './database.ts';
import { NO_USER } from './no-user.ts';
import { execute } from './query.ts';
import { statement } from './statement.ts';

export type EventKind = keyof Messages['operations']['events'];

export interface AuditEvent {
  kind: EventKind;
  /** The account that did it; absent when nobody was signed in. */
  actorId?: string | undefined;
  /** The account that it was done to. */
  userId?: string | undefined;
  clientId?: string | undefined;
  apiId?: string | undefined;
  address?: string | undefined;
  /** Names and numbers that say more; never a secret, a password, a code or a token. */
  detail?: Record<string, string | number | boolean | string[] | undefined>;
}

/** Writes one event, in the transaction of what it tells of where there is one. */
export const recordEvent = execute<[event: AuditEvent, now: Date]>(
  'insert_event',
  `insert into events (at, kind, actor_id, user_id, client_id, address, detail, api_id)
  values ($1::timestamptz, $2::text, $3::uuid, $4::uuid, $5::text, $6::text, $7::jsonb, $8::text)`,
  ({ kind, actorId, userId, clientId, address, detail = {}, apiId }, now) => [
    now,
    kind,
    actorId,
    userId ?? NO_USER,
    clientId,
    address,
    JSON.stringify(detail),
    apiId,
  ],
);

/** The same for what a user did to their own account. */
export const recordOwnEvent = (
  database: Queryable,
  event: Omit<AuditEvent, 'actorId'> & { userId: string },
  now: Date,
): Promise<void> => recordEvent(database, { ...event, actorId: event.userId }, now);

/** One event as operators see it, with the names that its accounts and applications have now. */
export interface EventRow {
  /** A number without bounds, in decimal digits. */
  id: string;
  at: Date;
  /** As the database has it: a newer version may know kinds that this one does not. */
  kind: string;
  actorId: string | null;
  actorEmail: string | null;
  userId: string | null;
  userEmail: string | null;
  clientId: string | null;
  clientName: string | null;
  apiId: string | null;
  apiName: string | null;
  address: string | null;
  detail: Record<string, unknown>;
}

/** What an event must be to be listed; all that is given holds. */
export interface EventFilter {
  kind?: string | undefined;
  /** The account that did it, or that it was done to. */
  userId?: string | undefined;
  clientId?: string | undefined;
  apiId?: string | undefined;
  address?: string | undefined;
  /** Not before this moment, and before that. */
  from?: Date | undefined;
  until?: Date | undefined;
}

/** Where a list of events goes on: before this one. */
export interface EventCursor {
  at: Date;
  id: string;
}

const CONDITIONS: Record<keyof EventFilter, string> = {
  kind: 'e.kind = $kind::text',
  userId: '(e.user_id = $userId::uuid or e.actor_id = $userId::uuid)',
  clientId: 'e.client_id = $clientId::text',
  apiId: 'e.api_id = $apiId::text',
  address: 'e.address = $address::text',
  from: 'e.at >= $from::timestamptz',
  until: 'e.at < $until::timestamptz',
};

/** Events, latest first. Each combination of filters is its own statement, planned for the index that serves it. */
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
  // The page is found first: names are looked up for no more than it holds. Emails are read by a statement of their own,
  // because accounts are on other nodes.
  const list = statement(
    `events_${[...names, ...(before ? ['before'] : [])].join('_')}`,
    `with page as materialized (
      select e.id, e.at, e.kind, e.actor_id, e.user_id, e.client_id, e.address, e.detail, e.api_id from events e
      where ${['true', ...conditions].join(' and ')} order by e.at desc, e.id desc limit $limit::int
    )
    select p.id::text, p.at, p.kind, p.actor_id as "actorId", nullif(p.user_id, $noUser::uuid) as "userId", p.client_id as "clientId", c.name as "clientName",
      p.api_id as "apiId", i.name as "apiName", p.address, p.detail
    from page p left join clients c on c.client_id = p.client_id left join apis i on i.api_id = p.api_id
    order by p.at desc, p.id desc`,
  );
  const rows = await database.query<Omit<EventRow, 'actorEmail' | 'userEmail'>>(list, {
    ...filter,
    beforeAt: before?.at,
    beforeId: before?.id,
    limit,
    noUser: NO_USER,
  });
  const emailOf = await findEmails(
    database,
    rows.flatMap(({ actorId, userId }) => [actorId, userId]),
  );
  return rows.map((row) => ({ ...row, actorEmail: emailOf(row.actorId), userEmail: emailOf(row.userId) }));
}

export const eventAsJson = (event: EventRow) => ({
  id: event.id,
  at: event.at.toISOString(),
  kind: event.kind,
  actor: event.actorId && { sub: event.actorId, email: event.actorEmail },
  account: event.userId && { sub: event.userId, email: event.userEmail },
  application: event.clientId && { client_id: event.clientId, name: event.clientName },
  api: event.apiId && { api_id: event.apiId, name: event.apiName },
  address: event.address,
  detail: event.detail,
});
