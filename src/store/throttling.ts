// Throttling of guesses, and rate limits. A count drains by one every so many seconds; stored is the time at which it will
// be empty, so draining writes nothing (ADR 4).
import type { Queryable } from './database.ts';
import { emailKey } from './emails.ts';
import { accountKey } from './password-guesses.ts';
import { count, execute, findValue } from './query.ts';
import { statement } from './statement.ts';
import { SIGN_IN_COLUMNS, type UserForSignIn } from './users.ts';

const DRAIN = 30;
/** Maximum count of attempts: after twenty minutes without any, every count is empty. */
const MAX_COUNT = 40;

export interface AttemptKeys {
  accountKey: Buffer;
  addressKey: Buffer;
}

/** @param keys a query for the keys, in the order in which their rows are locked */
const counting = (keys: string, now: string): string =>
  `insert into throttles as t (key, empty_at)
    select counted.key, ${now}::timestamptz + make_interval(secs => ${DRAIN}) from (${keys}) as counted (key)
    on conflict (key) do update
    set empty_at = least(greatest(t.empty_at, ${now}::timestamptz) + make_interval(secs => ${DRAIN}),
      ${now}::timestamptz + make_interval(secs => ${DRAIN * MAX_COUNT}))
    returning key, ceil(extract(epoch from empty_at - ${now}::timestamptz) / ${DRAIN})::int as count`;

const BEGIN = statement(
  'begin_sign_in_attempt',
  `with account as materialized (
    select ${SIGN_IN_COLUMNS}, uuid_send(u.id) || int4send(u.browser_epoch) = any($known::bytea[]) as "atHome"
    from users u where u.email_key = $email::text
  ),
  own as materialized (
    select coalesce(${accountKey('a."userId"')}, $emptyKey::bytea) as key,
      coalesce($ownKey::bytea, case when a."atHome" then ${accountKey('a."userId"')} || '\\x01'::bytea end) as apart
    from (select) as one left join account a on true
  ),
  keys as (select coalesce(own.apart, own.key) as key from own union all select $addressKey::bytea),
  counted as (${counting('select one.key from keys one order by one.key', '$now')})
  select c.key, c.count, coalesce(t.wrong, 0) as guesses, a.*
  from counted c cross join own left join account a on true left join throttles t on t.key = own.key`,
);

export interface NewAttempt {
  email: string;
  /** Counts under this key instead of the account's. */
  ownKey?: Buffer | undefined;
  /** The key in place of an account's, if there is no account with the email. */
  emptyKey: Buffer;
  addressKey: Buffer;
  /** Accounts that know the browser, as it claims (web/known-browsers.ts). */
  known: readonly Buffer[];
}

export interface BegunAttempt {
  keys: AttemptKeys;
  /** Attempts before this one that have not drained away. */
  byAccount: number;
  byAddress: number;
  user: UserForSignIn | undefined;
  atHome: boolean;
  guesses: number;
}

type Found = UserForSignIn & { atHome: boolean };
type Counted = { key: Buffer; count: number; guesses: number } & { [K in keyof Found]: Found[K] | null };

/**
 * Counts an attempt by account and by network before the password is checked, so that simultaneous ones see each other, and
 * finds the account. Rows are locked in the order of their keys.
 */
export async function beginSignInAttempt(
  database: Queryable,
  { email, ownKey = undefined, emptyKey, addressKey, known }: NewAttempt,
  now: Date,
): Promise<BegunAttempt> {
  const values = { email: emailKey(email), ownKey: ownKey ?? null, emptyKey, addressKey, known, now };
  const rows = await database.query<Counted>(BEGIN, values);
  const ofAddress = rows.find(({ key }) => key.equals(addressKey));
  const ofAccount = rows.find((row) => row !== ofAddress);
  if (ofAddress === undefined || ofAccount === undefined) throw new Error('an attempt was not counted');
  const { userId, passwordHash, suspended, asksForCode, atHome, guesses } = ofAccount;
  return {
    keys: { accountKey: ofAccount.key, addressKey },
    byAccount: ofAccount.count - 1,
    byAddress: ofAddress.count - 1,
    user: userId
      ? { userId, passwordHash, suspended: suspended === true, asksForCode: asksForCode === true }
      : undefined,
    atHome: atHome === true,
    guesses,
  };
}

/**
 * Settles an attempt with the right password, as part of a statement: resets the account's count, and takes the attempt off
 * the network's. All parameters are SQL; without an attempt (null) it does nothing.
 */
export const settling = (
  attempt: { accountKey: string; addressKey: string; userId: string; now: string },
  hasSucceeded = 'true',
): string =>
  `update throttles t
  set empty_at = case t.key when ${attempt.accountKey}::bytea then ${attempt.now}::timestamptz
      when ${attempt.addressKey}::bytea then t.empty_at - make_interval(secs => ${DRAIN}) else t.empty_at end,
    wrong = case when ${hasSucceeded} then 0 else t.wrong end
  from (select key from throttles
    where ${attempt.accountKey}::bytea is not null
      and key in (${attempt.accountKey}::bytea, ${attempt.addressKey}::bytea, ${accountKey(`${attempt.userId}::uuid`)})
    order by key for update) one
  where t.key = one.key`;

/** The right password of an account was given, and starts no session. */
export const settleSignInAttempt = execute<[keys: AttemptKeys, userId: string, now: Date]>(
  'settle_sign_in_attempt',
  settling({ accountKey: '$accountKey', addressKey: '$addressKey', userId: '$userId', now: '$now' }),
  (keys, userId, now) => ({ ...keys, userId, now }),
);

/** Counts an attempt at anything else. @returns the attempts before it that have not drained away */
export const countAttempt = count<[key: Buffer, now: Date]>(
  'count_attempt',
  `with counted as (${counting('select $key::bytea', '$now')}) select count - 1 from counted`,
  (key, now) => ({ key, now }),
);

/** An attempt at anything else was right. */
export const forgetAttempts = execute<[key: Buffer]>(
  'forget_attempts',
  'delete from throttles where key = $key::bytea',
  (key) => ({ key }),
);

/** A rate limit: at most `max` at once, and one more each time that one has drained away, in `period / max` seconds. */
export interface Limit {
  max: number;
  /** Seconds; an hour unless given. */
  period?: number;
  /** Seconds that simultaneous takers' clocks may differ; none unless given. */
  slack?: number;
}

// Refusals are not counted: otherwise one caller who goes on asking would keep out all others for good.
/** Takes one from a limit. @returns how many are left, or undefined if there was none */
export const takeFromLimit = findValue<number, [key: Buffer, limit: Limit, now: Date]>(
  'take_from_limit',
  `insert into throttles as t (key, empty_at)
  values ($key::bytea, $now::timestamptz + make_interval(secs => $period::float8 / $max::int))
  on conflict (key) do update
  set empty_at = greatest(t.empty_at, $now::timestamptz) + make_interval(secs => $period::float8 / $max::int)
  where t.empty_at <= $now::timestamptz
    + make_interval(secs => $period::float8 - $period::float8 / $max::int + $slack::float8)
  returning floor($max::int
    - (extract(epoch from empty_at - $now::timestamptz) - $slack::int) * $max::int / $period::int)::int as left`,
  (key, { max, period = 3600, slack = 0 }, now) => ({ key, now, max, period, slack }),
);

/** Returns what was taken for something that turned out not to count. */
export const returnToLimit = execute<[key: Buffer, limit: Limit]>(
  'return_to_limit',
  'update throttles set empty_at = empty_at - make_interval(secs => $period::float8 / $max::int) where key = $key::bytea',
  (key, { max, period = 3600 }) => ({ key, max, period }),
);
