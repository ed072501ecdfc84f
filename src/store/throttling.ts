// Sign-in throttling and rate limits, as leaky buckets in the database.
import type { Queryable } from './database.ts';
import { execute, findAll, findValue } from './query.ts';
import { statement } from './statement.ts';

// A row stores when its bucket will be empty, so draining needs no write (ADR 4). Each row is written by a separate
// statement because rows may be on different Citus nodes (docs/scaling.md).

/** Time to drain one attempt, in milliseconds. */
const DRAIN_INTERVAL = 30_000;
/** Number of attempts that fill a bucket. A full bucket drains in 20 minutes. */
const BUCKET_CAPACITY = 40;

interface CountedAttempt {
  before: number;
  wrong: number;
}

const COUNT_ATTEMPT = statement(
  'count_attempt',
  `insert into throttles as t (key, empty_at_ms) values ($key::uuid, $now::bigint + ${DRAIN_INTERVAL})
  on conflict (key) do update
  set empty_at_ms = least(greatest(t.empty_at_ms, $now::bigint) + ${DRAIN_INTERVAL}, $now::bigint + ${DRAIN_INTERVAL * BUCKET_CAPACITY})
  returning ((empty_at_ms - $now::bigint - 1) / ${DRAIN_INTERVAL})::int as before, wrong`,
);

/** Must be called before the password is checked so that concurrent attempts are counted. */
export async function countAttempt(database: Queryable, key: string, now: Date): Promise<CountedAttempt> {
  const [counted] = await database.query<CountedAttempt>(COUNT_ATTEMPT, { key, now: now.getTime() });
  if (counted === undefined) throw new Error('count_attempt returned no row');
  return counted;
}

export const clearAttempts = execute<[key: string]>(
  'clear_attempts',
  'delete from throttles where key = $1::uuid',
);

// Counts of wrong passwords are pruned only for unknown email addresses, after 90 days.
const IS_PRUNABLE_SQL = `t.empty_at_ms < $1::bigint and (t.wrong = 0 or t.empty_at_ms < $1::bigint - ${90 * 24 * 3_600_000}
  and not exists (select from users u where u.id = t.key))`;

const findPrunableThrottles = findAll<{ key: string }, [before: number, max: number]>(
  'prune_candidates_of_throttles',
  `select t.key from throttles t where ${IS_PRUNABLE_SQL} limit $2::int`,
);
const deletePrunableThrottles = findAll<{ key: string }, [before: number, keys: string[]]>(
  'prune_throttles',
  `delete from throttles t where t.key = any($2::uuid[]) and ${IS_PRUNABLE_SQL} returning key`,
);

export async function pruneThrottles(transaction: Queryable, before: Date, max: number): Promise<number> {
  const found = await findPrunableThrottles(transaction, before.getTime(), max);
  const keys = found.map(({ key }) => key);
  return keys.length === 0 ? 0 : (await deletePrunableThrottles(transaction, before.getTime(), keys)).length;
}

export interface AttemptKeys {
  accountKey: string;
  networkKey: string;
}

/**
 * SQL that updates the account's row after a correct password. Empties the bucket if it counted the attempt.
 * Resets `wrong` if `hasSucceeded` is true. All arguments are SQL.
 */
export const clearAccountAttemptSql = (
  { accountKey, userId }: { accountKey: string; userId: string },
  hasSucceeded = 'true',
): string =>
  `update throttles t set empty_at_ms = case when t.key = ${accountKey}::uuid then 0 else t.empty_at_ms end,
    wrong = case when ${hasSucceeded} then 0 else t.wrong end
  where t.key = ${userId}::uuid and ${accountKey}::uuid is not null`;

const clearAccountAttempt = execute<[keys: AttemptKeys, userId: string]>(
  'clear_sign_in_attempt',
  clearAccountAttemptSql({ accountKey: '$accountKey', userId: '$userId' }),
  ({ accountKey }, userId) => ({ accountKey, userId }),
);

const decrementBucket = execute<[key: string]>(
  'return_attempt',
  `update throttles set empty_at_ms = empty_at_ms - ${DRAIN_INTERVAL} where key = $1::uuid`,
);

/**
 * Removes an attempt from the network's bucket. Deletes the browser's or session's bucket if it counted the attempt.
 */
export async function clearOtherAttempts(
  database: Queryable,
  { accountKey, networkKey }: AttemptKeys,
  userId: string,
): Promise<void> {
  await Promise.all([
    decrementBucket(database, networkKey),
    accountKey !== userId && clearAttempts(database, accountKey),
  ]);
}

/** Must be called if a correct password didn't start a session. */
export async function clearSignInAttempt(
  database: Queryable,
  keys: AttemptKeys,
  userId: string,
): Promise<void> {
  await Promise.all([
    clearAccountAttempt(database, keys, userId),
    clearOtherAttempts(database, keys, userId),
  ]);
}

/** Leaky bucket: a burst of at most `max` uses, then one use every `period / max` seconds. */
export interface RateLimit {
  max: number;
  /** In seconds. Defaults to one hour. */
  period?: number;
  /** Tolerated clock skew, in seconds. Defaults to 0. */
  slack?: number;
}

const getDrainInterval = ({ max, period = 3600 }: RateLimit): number => Math.floor((period * 1000) / max);

/**
 * Returns the remaining uses, or undefined at the limit. Rejected uses don't count because retries would block everyone
 * who shares the limit.
 */
export const takeFromRateLimit = findValue<number, [key: string, limit: RateLimit, now: Date]>(
  'take_from_rate_limit',
  `insert into throttles as t (key, empty_at_ms) values ($key::uuid, $now::bigint + $drain::bigint)
  on conflict (key) do update set empty_at_ms = greatest(t.empty_at_ms, $now::bigint) + $drain::bigint
  where t.empty_at_ms <= $now::bigint + ($max::int - 1) * $drain::bigint + $slack::bigint
  returning floor($max::int - (empty_at_ms - $now::bigint - $slack::bigint)::float8 / $drain::bigint)::int as remaining`,
  (key, limit, now) => ({
    key,
    now: now.getTime(),
    max: limit.max,
    drain: getDrainInterval(limit),
    slack: (limit.slack ?? 0) * 1000,
  }),
);

export const returnToRateLimit = execute<[key: string, limit: RateLimit]>(
  'return_to_rate_limit',
  'update throttles set empty_at_ms = empty_at_ms - $2::bigint where key = $1::uuid',
  (key, limit) => [key, getDrainInterval(limit)],
);
