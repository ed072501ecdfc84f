// Throttling of guesses, and rate limits. A count drains by one per interval; stored is the time at which it will be empty, so
// draining writes nothing (ADR 4). Each row has a statement of its own, because rows are on different nodes (docs/scaling.md).
import type { Queryable } from './database.ts';
import { execute, findAll, findValue } from './query.ts';
import { statement } from './statement.ts';

// A key is an account's id, which is a UUIDv4, or a keyed hash as a UUIDv8.

/** Milliseconds in which a count of attempts drains by one. */
const DRAIN = 30_000;
/** Maximum count of attempts: after twenty minutes without any, every count is empty. */
const MAX_COUNT = 40;

interface CountedAttempt {
  /** Attempts before it that have not drained away. */
  before: number;
  /** Wrong passwords since the last right one, where the key is that of an account or an email. */
  wrong: number;
}

const COUNT = statement(
  'count_attempt',
  `insert into throttles as t (key, empty_ms) values ($key::uuid, $now::bigint + ${DRAIN})
  on conflict (key) do update
  set empty_ms = least(greatest(t.empty_ms, $now::bigint) + ${DRAIN}, $now::bigint + ${DRAIN * MAX_COUNT})
  returning ((empty_ms - $now::bigint - 1) / ${DRAIN})::int as before, wrong`,
);

/** Counts an attempt, before it is checked, so that simultaneous ones see each other. */
export async function countAttempt(database: Queryable, key: string, now: Date): Promise<CountedAttempt> {
  const [counted] = await database.query<CountedAttempt>(COUNT, { key, now: now.getTime() });
  if (counted === undefined) throw new Error('an attempt was not counted');
  return counted;
}

/** An attempt was right: forgets the ones before it. */
export const forgetAttempts = execute<[key: string]>(
  'forget_attempts',
  'delete from throttles where key = $1::uuid',
);

// Wrong passwords of an account are kept. Those of an email without one, or of a deleted account, are kept for 90 days after the
// last attempt.
const FORGETTABLE = `t.empty_ms < $1::bigint and (t.wrong = 0 or t.empty_ms < $1::bigint - ${90 * 24 * 3_600_000}
  and not exists (select from users u where u.id = t.key))`;

const findForgettable = findAll<{ key: string }, [before: number, max: number]>(
  'prune_candidates_of_throttles',
  `select t.key from throttles t where ${FORGETTABLE} limit $2::int`,
);
const deleteForgettable = findAll<{ key: string }, [before: number, keys: string[]]>(
  'prune_throttles',
  `delete from throttles t where t.key = any($2::uuid[]) and ${FORGETTABLE} returning key`,
);

/** Deletes at most `max` rows that were empty before a time. @returns the number */
export async function pruneThrottles(transaction: Queryable, before: Date, max: number): Promise<number> {
  const found = await findForgettable(transaction, before.getTime(), max);
  const keys = found.map(({ key }) => key);
  return keys.length === 0 ? 0 : (await deleteForgettable(transaction, before.getTime(), keys)).length;
}

/** The rows in which an attempt at a password is counted. */
export interface AttemptKeys {
  accountKey: string;
  networkKey: string;
}

/**
 * Settles an attempt with the right password in the account's own row, as part of a statement. All parameters are SQL; without
 * an attempt (null) it does nothing.
 */
export const settlingAccount = (
  { accountKey, userId }: { accountKey: string; userId: string },
  hasSucceeded = 'true',
): string =>
  `update throttles t set empty_ms = case when t.key = ${accountKey}::uuid then 0 else t.empty_ms end,
    wrong = case when ${hasSucceeded} then 0 else t.wrong end
  where t.key = ${userId}::uuid and ${accountKey}::uuid is not null`;

const settleAccount = execute<[keys: AttemptKeys, userId: string]>(
  'settle_sign_in_attempt',
  settlingAccount({ accountKey: '$accountKey', userId: '$userId' }),
  ({ accountKey }, userId) => ({ accountKey, userId }),
);

const returnAttempt = execute<[key: string]>(
  'return_attempt',
  `update throttles set empty_ms = empty_ms - ${DRAIN} where key = $1::uuid`,
);

/** Settles an attempt in the other rows: takes it off the network's count, and forgets those of the browser or session. */
export async function settleElsewhere(
  database: Queryable,
  { accountKey, networkKey }: AttemptKeys,
  userId: string,
): Promise<void> {
  await Promise.all([
    returnAttempt(database, networkKey),
    accountKey !== userId && forgetAttempts(database, accountKey),
  ]);
}

/** Settles an attempt with the right password that starts no session. */
export async function settleSignInAttempt(
  database: Queryable,
  keys: AttemptKeys,
  userId: string,
): Promise<void> {
  await Promise.all([settleAccount(database, keys, userId), settleElsewhere(database, keys, userId)]);
}

/** A rate limit: at most `max` at once, and one more each time that one has drained away, in `period / max` seconds. */
export interface Limit {
  max: number;
  /** Seconds; an hour unless given. */
  period?: number;
  /** Seconds that simultaneous takers' clocks may differ; none unless given. */
  slack?: number;
}

/** Milliseconds in which one drains away. */
const drainOf = ({ max, period = 3600 }: Limit): number => Math.floor((period * 1000) / max);

// Refusals are not counted: otherwise one caller who goes on asking would keep out all others for good.
/** Takes one from a limit. @returns how many are left, or undefined if there was none */
export const takeFromLimit = findValue<number, [key: string, limit: Limit, now: Date]>(
  'take_from_limit',
  `insert into throttles as t (key, empty_ms) values ($key::uuid, $now::bigint + $drain::bigint)
  on conflict (key) do update set empty_ms = greatest(t.empty_ms, $now::bigint) + $drain::bigint
  where t.empty_ms <= $now::bigint + ($max::int - 1) * $drain::bigint + $slack::bigint
  returning floor($max::int - (empty_ms - $now::bigint - $slack::bigint)::float8 / $drain::bigint)::int as left`,
  (key, limit, now) => ({
    key,
    now: now.getTime(),
    max: limit.max,
    drain: drainOf(limit),
    slack: (limit.slack ?? 0) * 1000,
  }),
);

/** Returns what was taken for something that turned out not to count. */
export const returnToLimit = execute<[key: string, limit: Limit]>(
  'return_to_limit',
  'update throttles set empty_ms = empty_ms - $2::bigint where key = $1::uuid',
  (key, limit) => [key, drainOf(limit)],
);
