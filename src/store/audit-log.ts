// The audit log of security events.
import type { Messages } from '../i18n/index.ts';
import { findEmailsByUser } from './admin-accounts.ts';
import type { Queryable } from './database.ts';
import { NIL_USER_ID } from './nil-user-id.ts';
import { execute, findAll, hasRows } from './query.ts';
import { statement } from './statement.ts';

export type EventKind = keyof Messages['operations']['events'];

export interface AuditEvent {
  kind: EventKind;
  /** The user who caused the event. Undefined for anonymous users and the command line. */
  actorId?: string | undefined;
  userId?: string | undefined;
  clientId?: string | undefined;
  apiId?: string | undefined;
  ip?: string | undefined;
  /** Must not contain secrets, passwords, codes or tokens. */
  detail?: EventDetail;
}

export type EventDetail = Partial<
  Record<
    keyof Messages['operations']['details'] | 'browser' | 'system',
    string | number | boolean | readonly string[] | undefined
  >
>;

/** Must be called in the transaction that makes the change. */
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

export const recordOwnEvent = (
  database: Queryable,
  event: Omit<AuditEvent, 'actorId'> & { userId: string },
  now: Date,
): Promise<void> => recordEvent(database, { ...event, actorId: event.userId }, now);

export const hasRecentEvent = hasRows<[userId: string, kind: EventKind, since: Date]>(
  'has_recent_event',
  `select 1 as one from events e
  where e.user_id = $1::uuid and e.kind = $2::text and e.at >= $3::timestamptz limit 1`,
);

export interface EventRow {
  /** A bigint as a decimal string. */
  id: string;
  at: Date;
  /** A newer version may have recorded kinds that this version doesn't know. */
  kind: string;
  actorId: string | null;
  actorEmail: string | null;
  userId: string | null;
  userEmail: string | null;
  clientId: string | null;
  clientName: string | null;
  logo: string | null;
  apiId: string | null;
  apiName: string | null;
  ip: string | null;
  detail: Record<string, unknown>;
}

/** Each property has an index. */
export interface EventSubject {
  kind?: string | undefined;
  actorId?: string | undefined;
  affectedId?: string | undefined;
  clientId?: string | undefined;
  apiId?: string | undefined;
  ip?: string | undefined;
}

export interface EventFilter extends Omit<EventSubject, 'actorId' | 'affectedId'> {
  userId?: string | undefined;
  anyOf?: readonly EventSubject[] | undefined;
  /** `from` is inclusive and `until` is exclusive. */
  from?: Date | undefined;
  until?: Date | undefined;
}

type EventConditions = EventSubject & Pick<EventFilter, 'from' | 'until'>;

export interface EventCursor {
  at: Date;
  id: string;
}

interface EventPage {
  before?: EventCursor | undefined;
  limit: number;
}

const EVENT_CONDITIONS: Record<keyof EventConditions, string> = {
  kind: 'e.kind = $kind::text',
  actorId: 'e.actor_id = $actorId::uuid',
  affectedId: 'e.user_id = $affectedId::uuid',
  clientId: 'e.client_id = $clientId::text',
  apiId: 'e.api_id = $apiId::text',
  ip: 'e.ip = $ip::text',
  from: 'e.at >= $from::timestamptz',
  until: 'e.at < $until::timestamptz',
};

export async function listEvents(
  database: Queryable,
  { userId, anyOf, ...filter }: EventFilter,
  page: EventPage,
): Promise<EventRow[]> {
  const ofUser = userId === undefined ? [{}] : [{ affectedId: userId }, { actorId: userId }];
  let rows: FoundEvent[] = [];
  // With one statement per subject, PostgreSQL reads events in index order.
  for (const subject of combineSubjects(combineSubjects([filter], ofUser), anyOf ?? [{}])) {
    const found = [...rows, ...(await listEventsBySubject(database, subject, page))];
    const byId = new Map(found.map((event) => [event.id, event]));
    rows = [...byId.values()].sort(compareEvents).slice(0, page.limit);
  }
  const emailOf = await findEmailsByUser(
    database,
    rows.flatMap(({ actorId, userId }) => [actorId, userId]),
  );
  return rows.map((row) => ({ ...row, actorEmail: emailOf(row.actorId), userEmail: emailOf(row.userId) }));
}

const combineSubjects = (
  filters: readonly EventConditions[],
  subjects: readonly EventSubject[],
): EventConditions[] =>
  filters.flatMap((filter) =>
    subjects.flatMap((subject) =>
      (Object.keys(subject) as (keyof EventSubject)[]).every(
        (name) => filter[name] === undefined || filter[name] === subject[name],
      )
        ? [{ ...filter, ...subject }]
        : [],
    ),
  );

type FoundEvent = Omit<EventRow, 'actorEmail' | 'userEmail'>;

const compareEvents = (a: FoundEvent, b: FoundEvent): number =>
  b.at.getTime() - a.at.getTime() || (BigInt(b.id) > BigInt(a.id) ? 1 : -1);

async function listEventsBySubject(
  database: Queryable,
  filter: EventConditions,
  { before, limit }: EventPage,
): Promise<FoundEvent[]> {
  const names = (Object.keys(EVENT_CONDITIONS) as (keyof EventConditions)[]).filter(
    (name) => filter[name] !== undefined,
  );
  const conditions = names.map((name) => EVENT_CONDITIONS[name]);
  if (before !== undefined) conditions.push('(e.at, e.id) < ($beforeAt::timestamptz, $beforeId::bigint)');
  // The CTE limits the joins to one page of events.
  const list = statement(
    `events_${[...names, ...(before ? ['before'] : [])].join('_')}`,
    `with page as materialized (
      select e.id, e.at, e.kind, e.actor_id, e.user_id, e.client_id, e.ip, e.detail, e.api_id from events e
      where ${['true', ...conditions].join(' and ')} order by e.at desc, e.id desc limit $limit::int
    )
    select p.id::text, p.at, p.kind, p.actor_id as "actorId", nullif(p.user_id, $noUser::uuid) as "userId", p.client_id as "clientId", c.name as "clientName", c.logo,
      p.api_id as "apiId", i.name as "apiName", p.ip, p.detail
    from page p left join clients c on c.client_id = p.client_id left join apis i on i.api_id = p.api_id
    order by p.at desc, p.id desc`,
  );
  return database.query<FoundEvent>(list, {
    ...filter,
    beforeAt: before?.at,
    beforeId: before?.id,
    limit,
    noUser: NIL_USER_ID,
  });
}

/** SQL for an event's actor as shown to the user `$1`. Doesn't identify other users. */
export const EVENT_ACTOR_SQL = `case when e.actor_id is null then null when e.actor_id = $1::uuid then 'you'
    when e.kind in ('application_transferred', 'application_transfer_declined', 'api_transferred',
      'api_transfer_declined') then 'recipient'
    when e.kind like 'service_access_%' then 'other_owner'
    else 'administrator' end`;
export const EVENT_IP_SQL = 'case when e.actor_id is null or e.actor_id = $1::uuid then e.ip end';

export interface AccountEvent {
  id: string;
  at: Date;
  kind: string;
  actor: 'you' | 'recipient' | 'other_owner' | 'administrator' | null;
  ip: string | null;
  clientId: string | null;
  clientName: string | null;
  logo: string | null;
  apiName: string | null;
  name: string | null;
  email: string | null;
  method: string | null;
  browser: string | null;
  system: string | null;
  times: string | null;
}

export const listAccountEvents = findAll<
  AccountEvent,
  [userId: string, page: { before: EventCursor | undefined; limit: number }]
>(
  'list_account_events',
  `with page as materialized (
    select e.id, e.at, e.kind, e.actor_id, e.client_id, e.api_id, e.ip, e.detail from events e
    where e.user_id = $1::uuid and (e.at, e.id) < ($2::timestamptz, $3::bigint)
    order by e.at desc, e.id desc limit $4::int
  )
  select e.id::text, e.at, e.kind, ${EVENT_ACTOR_SQL} as actor, ${EVENT_IP_SQL} as ip, e.client_id as "clientId",
    c.name as "clientName", c.logo, i.name as "apiName", e.detail ->> 'name' as name,
    case when e.kind like 'email_%' then e.detail ->> 'email' end as email, e.detail ->> 'method' as method,
    e.detail ->> 'browser' as browser, e.detail ->> 'system' as system, e.detail ->> 'times' as times
  from page e left join clients c on c.client_id = e.client_id left join apis i on i.api_id = e.api_id
  order by e.at desc, e.id desc`,
  (userId, { before, limit }) => [userId, before?.at ?? 'infinity', before?.id ?? '0', limit],
);

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
