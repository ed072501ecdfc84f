// Back-channel logout: which applications have to be told that a session is over, and what became of it.
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import type { Queryable } from './database.ts';
import { columnsOf, execute, findAll } from './query.ts';

export interface EndedSession {
  userId: string;
  sid: string;
}

const announce = execute<[ended: readonly EndedSession[], now: Date]>(
  'announce_logouts',
  `insert into logout_deliveries (client_id, user_id, sid, created_at, next_attempt_at)
  select distinct c.client_id, ended.user_id, ended.sid, $3::timestamptz, $3::timestamptz
  from unnest($1::uuid[], $2::uuid[]) as ended (user_id, sid)
  join grants g on g.user_id = ended.user_id and g.sid = ended.sid join clients c on c.client_id = g.client_id
  where c.backchannel_logout_uri is not null and c.suspended_at is null`,
  (ended, now) => [...columnsOf(ended, 'userId', 'sid'), now],
);

/** Notifies the clients of sessions that these have ended, in the transaction that ends them. */
export const announceLogouts = async (
  transaction: Queryable,
  ended: readonly EndedSession[],
  now: Date,
): Promise<void> => {
  if (ended.length > 0) await announce(transaction, ended, now);
};

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

/** Records the outcome of an attempt: delivered, to be tried again, or (neither) given up. */
export const settleDelivery = execute<
  [id: string, outcome: { deliveredAt?: Date; nextAttemptAt?: Date | undefined; fault?: DeliveryFault }]
>(
  'settle_logout_delivery',
  `update logout_deliveries set delivered_at = $2::timestamptz, next_attempt_at = $3::timestamptz, last_fault = $4::text,
    last_detail = $5::text
  where id = $1::bigint`,
  (id, { deliveredAt, nextAttemptAt, fault }) => [id, deliveredAt, nextAttemptAt, fault?.kind, fault?.detail],
);

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
