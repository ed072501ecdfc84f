// Back-channel logout: which applications have to be told that a session is over, and what became of it.
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import type { Queryable } from './database.ts';
import { columnsOf, execute, findAll } from './query.ts';
import { statement } from './statement.ts';

/** A session that is over. */
export interface EndedSession {
  userId: string;
  sid: string;
}

/** Milliseconds after which whatever was being redeemed when a session ended is there: no statement takes longer. */
const LOOK_AGAIN_AFTER = 20_000;

const ANNOUNCE = statement(
  'announce_logouts',
  `with noted as (
    insert into ended_sessions (user_id, sid, ended_at, look_again_at)
    select distinct ended.user_id, ended.sid, $3::timestamptz, $4::timestamptz
    from unnest($1::uuid[], $2::uuid[]) as ended (user_id, sid)
    on conflict (user_id, sid) do update set look_again_at = excluded.look_again_at
  )
  insert into logout_deliveries (client_id, user_id, sid, created_at, next_attempt_at)
  select distinct c.client_id, ended.user_id, ended.sid, $3::timestamptz, $3::timestamptz
  from unnest($1::uuid[], $2::uuid[]) as ended (user_id, sid)
  join grants g on g.user_id = ended.user_id and g.sid = ended.sid join clients c on c.client_id = g.client_id
  where c.backchannel_logout_uri is not null and c.suspended_at is null`,
);

/**
 * Has the applications of sessions told that they are over, in the transaction that ends them. Codes and devices that
 * are being redeemed at this moment are looked for once more (`announceMissed`).
 */
export async function announceLogouts(
  transaction: Queryable,
  ended: readonly EndedSession[],
  now: Date,
): Promise<void> {
  if (ended.length === 0) return;
  await transaction.query(ANNOUNCE, [
    ...columnsOf(ended, 'userId', 'sid'),
    now,
    new Date(now.getTime() + LOOK_AGAIN_AFTER),
  ]);
}

/**
 * Has applications told whose code or device was let in at the very moment a session ended. It is looked for when
 * nothing of that moment is under way any more; the note goes in the same statement.
 */
export const announceMissed = execute<[now: Date]>(
  'announce_missed_logouts',
  `with due as (
    select user_id, sid from ended_sessions where look_again_at <= $1::timestamptz
    order by look_again_at limit 100 for update skip locked
  ),
  looked as (
    delete from ended_sessions e using due where e.user_id = due.user_id and e.sid = due.sid
    returning e.user_id, e.sid, e.ended_at
  )
  insert into logout_deliveries (client_id, user_id, sid, created_at, next_attempt_at)
  select distinct c.client_id, looked.user_id, looked.sid, $1::timestamptz, $1::timestamptz
  from looked join grants g on g.sid = looked.sid and g.user_id = looked.user_id
    join clients c on c.client_id = g.client_id
  where c.backchannel_logout_uri is not null and c.suspended_at is null
    and not exists (select from logout_deliveries told where told.client_id = c.client_id
      and told.user_id = looked.user_id and told.sid = looked.sid and told.created_at >= looked.ended_at)
  returning 1 as one`,
);

/** One application to tell now. */
export interface DueDelivery {
  id: string;
  clientId: string;
  userId: string;
  sid: string;
  attempts: number;
  /** Null, as the algorithm is: there is nobody to tell any more. */
  uri: string | null;
  algorithm: SigningAlgorithm | null;
}

/**
 * Takes what is due for this process to deliver, in turn from every application: none can keep the others waiting; another may have it after `leaseUntil` if this one dies on the way.
 */
export const claimDeliveries = findAll<DueDelivery, [claim: { now: Date; leaseUntil: Date; limit: number }]>(
  'claim_logout_deliveries',
  `with waiting as (
    select d.id, row_number() over (partition by d.client_id order by d.next_attempt_at) as turn
    from logout_deliveries d where d.next_attempt_at <= $1::timestamptz
  ),
  due as (
    select d.id from waiting join logout_deliveries d on d.id = waiting.id
    where d.next_attempt_at <= $1::timestamptz
    order by waiting.turn, d.next_attempt_at limit $3::int for update of d skip locked
  )
  update logout_deliveries d set attempts = d.attempts + 1, next_attempt_at = $2::timestamptz
  from due join logout_deliveries one on one.id = due.id left join clients c on c.client_id = one.client_id and c.suspended_at is null
  where d.id = due.id
  returning d.id, d.client_id as "clientId", d.user_id as "userId", d.sid, d.attempts,
    c.backchannel_logout_uri as uri, c.id_token_algorithm as algorithm`,
  ({ now, leaseUntil, limit }) => [now, leaseUntil, limit],
);

/** Why an application was not reached, or did not take it. */
export interface DeliveryFault {
  kind:
    | 'answered'
    | 'refused'
    | 'not-https'
    | 'not-public'
    | 'timeout'
    | 'too-large'
    | 'encoded'
    | 'failed'
    | 'nobody'
    | 'ours';
  /** The status of an answer; the words of a connection that failed, in the language of whoever failed it. */
  detail?: string;
}

const SETTLE = statement(
  'settle_logout_delivery',
  `update logout_deliveries set delivered_at = $2::timestamptz, next_attempt_at = $3::timestamptz, last_fault = $4::text,
    last_detail = $5::text
  where id = $1::bigint`,
);

/** Writes what became of an attempt: delivered, to be tried again, or (neither) given up. */
export async function settleDelivery(
  database: Queryable,
  id: string,
  outcome: { deliveredAt?: Date; nextAttemptAt?: Date | undefined; fault?: DeliveryFault },
): Promise<void> {
  const { deliveredAt = null, nextAttemptAt = null, fault } = outcome;
  await database.query(SETTLE, [id, deliveredAt, nextAttemptAt, fault?.kind ?? null, fault?.detail ?? null]);
}

/** A delivery as the application's owner sees it. */
export interface DeliveryRow {
  createdAt: Date;
  attempts: number;
  nextAttemptAt: Date | null;
  deliveredAt: Date | null;
  lastFault: DeliveryFault['kind'] | null;
  lastDetail: string | null;
}

export const listDeliveries = findAll<DeliveryRow, [clientId: string, limit: number]>(
  'list_logout_deliveries',
  `select created_at as "createdAt", attempts, next_attempt_at as "nextAttemptAt", delivered_at as "deliveredAt",
    last_fault as "lastFault", last_detail as "lastDetail"
  from logout_deliveries where client_id = $1::text order by created_at desc, id desc limit $2::int`,
);
