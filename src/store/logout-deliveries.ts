// Queue of back-channel logout notifications, with delivery results.
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import type { Queryable } from './database.ts';
import { execute, findAll, findOne, toColumnArrays } from './query.ts';
import { shuffle } from './shuffle.ts';

export interface EndedSession {
  userId: string;
  sid: string;
}

const findClientsToNotify = findAll<
  { clientId: string; sid: string },
  [userId: string, sids: readonly string[]]
>(
  'find_clients_to_notify',
  `select distinct g.client_id as "clientId", g.sid from grants g join clients c on c.client_id = g.client_id
  where g.user_id = $1::uuid and g.sid = any($2::uuid[]) and c.backchannel_logout_uri is not null and c.suspended_at is null`,
);

const insertDeliveries = execute<
  [userId: string, notified: readonly { clientId: string; sid: string }[], now: Date]
>(
  'insert_logout_deliveries',
  `insert into logout_deliveries (client_id, user_id, sid, created_at, next_attempt_at)
  select n.client_id, $1::uuid, n.sid, $4::timestamptz, $4::timestamptz
  from unnest($2::text[], $3::uuid[]) as n (client_id, sid)`,
  (userId, notified, now) => [userId, ...toColumnArrays(notified, 'clientId', 'sid'), now],
);

/**
 * Queues notifications to clients with grants from these sessions. Must be called in the transaction that ends the
 * sessions.
 */
export async function queueLogoutDeliveries(
  transaction: Queryable,
  endedSessions: readonly EndedSession[],
  now: Date,
): Promise<void> {
  for (const [userId, sessions] of Map.groupBy(endedSessions, (session) => session.userId)) {
    const sids = sessions.map(({ sid }) => sid);
    const notified = await findClientsToNotify(transaction, userId, sids);
    if (notified.length > 0) await insertDeliveries(transaction, userId, notified, now);
  }
}

interface DeliveryKey {
  userId: string;
  id: string;
}

export interface DueDelivery extends DeliveryKey {
  clientId: string;
  sid: string;
  attempts: number;
  /** Null if the URI was removed, or the client was deleted or suspended. */
  uri: string | null;
  algorithm: SigningAlgorithm | null;
}

const listDueDeliveryKeys = findAll<DeliveryKey, [now: Date, limit: number]>(
  'find_due_logout_deliveries',
  `select d.user_id as "userId", d.id
  from (select user_id, id, next_attempt_at, row_number() over (partition by client_id order by next_attempt_at) as position
    from logout_deliveries where next_attempt_at <= $1::timestamptz) as d
  order by d.position, d.next_attempt_at limit $2::int`,
);

const claimDelivery = findOne<DueDelivery, [key: DeliveryKey, now: Date, leaseUntil: Date]>(
  'claim_logout_delivery',
  `with claimed as (
    update logout_deliveries d set attempts = d.attempts + 1, next_attempt_at = $4::timestamptz
    where d.user_id = $1::uuid and d.id = $2::bigint and d.next_attempt_at <= $3::timestamptz
    returning d.user_id, d.id, d.client_id, d.sid, d.attempts
  )
  select d.user_id as "userId", d.id, d.client_id as "clientId", d.sid, d.attempts, c.backchannel_logout_uri as uri,
    c.id_token_algorithm as algorithm
  from claimed d left join clients c on c.client_id = d.client_id and c.suspended_at is null`,
  ({ userId, id }, now, leaseUntil) => [userId, id, now, leaseUntil],
);

/** Leases due deliveries. Alternates between clients so that one client doesn't delay the others. */
export async function claimDeliveries(
  database: Queryable,
  { now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number },
): Promise<DueDelivery[]> {
  const claimed: DueDelivery[] = [];
  while (claimed.length < limit) {
    const remaining = limit - claimed.length;
    const due = await listDueDeliveryKeys(database, now, remaining);
    for (const key of shuffle(due)) {
      const delivery = await claimDelivery(database, key, now, leaseUntil);
      if (delivery !== undefined) claimed.push(delivery);
    }
    if (due.length < remaining) break;
  }
  return claimed;
}

export interface DeliveryError {
  kind:
    | 'http_status'
    | 'refused'
    | 'not-https'
    | 'not-public'
    | 'timeout'
    | 'too-large'
    | 'encoded'
    | 'failed'
    | 'no_uri'
    | 'internal';
  detail?: string;
}

/** If `nextAttemptAt` is undefined, no further attempt is made. */
export const recordDeliveryResult = execute<
  [key: DeliveryKey, outcome: { deliveredAt?: Date; nextAttemptAt?: Date | undefined; error?: DeliveryError }]
>(
  'record_logout_delivery_result',
  `update logout_deliveries set delivered_at = $3::timestamptz, next_attempt_at = $4::timestamptz, last_error = $5::text,
    last_error_detail = $6::text
  where user_id = $1::uuid and id = $2::bigint`,
  ({ userId, id }, { deliveredAt, nextAttemptAt, error }) => [
    userId,
    id,
    deliveredAt,
    nextAttemptAt,
    error?.kind,
    error?.detail,
  ],
);

export interface DeliveryRow {
  createdAt: Date;
  attempts: number;
  nextAttemptAt: Date | null;
  deliveredAt: Date | null;
  lastError: DeliveryError['kind'] | null;
  lastErrorDetail: string | null;
}

export const listDeliveries = findAll<DeliveryRow, [clientId: string, limit: number]>(
  'list_logout_deliveries',
  `select created_at as "createdAt", attempts, next_attempt_at as "nextAttemptAt", delivered_at as "deliveredAt",
    last_error as "lastError", last_error_detail as "lastErrorDetail"
  from logout_deliveries where client_id = $1::text order by created_at desc, id desc limit $2::int`,
);

export interface FailingClient {
  clientId: string;
  name: string;
  failures: number;
}

const MAX_FAILED_DELIVERIES = 1000;

/** Ignores failures due to a missing logout URI. */
export const listFailingClients = findAll<FailingClient, [since: Date, limit: number]>(
  'list_failing_logout_clients',
  `with failed as materialized (
    select d.client_id from logout_deliveries d
    where d.delivered_at is null and d.last_error is not null and d.last_error <> 'no_uri'
      and d.created_at > $1::timestamptz
    order by d.created_at desc limit ${MAX_FAILED_DELIVERIES}
  )
  select f.client_id as "clientId", c.name, count(*)::int as failures
  from failed f join clients c on c.client_id = f.client_id and c.suspended_at is null
  group by f.client_id, c.name order by failures desc, f.client_id limit $2::int`,
);
