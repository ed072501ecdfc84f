// Counts of wrong passwords, by which the next attempt is slowed down. A count drains by one every half minute; what is
// stored is the moment at which it will be empty, so nothing has to be written while it drains.
import type { Queryable } from './database.ts';
import { forgettingGuesses, guessKey } from './password-guesses.ts';
import { statement } from './statement.ts';
import { emailKey, SIGN_IN_COLUMNS, type UserForSignIn } from './users.ts';

/** Seconds in which a count falls by one. */
const DRAIN = 30;
/** A count never gets higher than this: twenty minutes of quiet empty the fullest. */
const HIGHEST = 40;

/** What an attempt to sign in counts under. */
export interface AttemptKeys {
  accountKey: Buffer;
  addressKey: Buffer;
}

/** What an attempt begins with. */
export interface NewAttempt {
  accountKey: Buffer;
  /** What it counts under instead, in a browser that the account knows: strangers must not use up its attempts. */
  homeKey: Buffer;
  addressKey: Buffer;
  email: string;
  /** What the browser brought: accounts at home in it (web/known-browsers.ts). */
  known: readonly Buffer[];
  /** What wrong passwords count under where there is no account with the email (password-guesses.ts). */
  emptyKey: Buffer;
}

/**
 * Counts attempts, as a part of a statement that gives `key` and `count`.
 * @param keys a query that gives what they count under, in its order
 * @param now where the statement has the time
 */
export const counting = (keys: string, now: string): string =>
  `insert into sign_in_failures as f (key, empty_at)
    select counted.key, ${now}::timestamptz + make_interval(secs => ${DRAIN}) from (${keys}) as counted (key)
    on conflict (key) do update
    set empty_at = least(greatest(f.empty_at, ${now}::timestamptz) + make_interval(secs => ${DRAIN}),
      ${now}::timestamptz + make_interval(secs => ${DRAIN * HIGHEST}))
    returning key, ceil(extract(epoch from empty_at - ${now}::timestamptz) / ${DRAIN})::int as count`;

const BEGIN = statement(
  'begin_sign_in_attempt',
  `with account as materialized (
    select ${SIGN_IN_COLUMNS}, uuid_send(u.id) || int4send(u.browser_epoch) = any($6::bytea[]) as "atHome"
    from users u where u.email_key = $4::text
  ),
  keys as (
    select case when exists (select from account where "atHome") then $5::bytea else $1::bytea end as key
    union all select $2::bytea
  ),
  counted as (${counting('select one.key from keys one order by one.key', '$3')})
  select c.key <> $2::bytea as "ofAccount", c.count, coalesce(g.wrong, 0) as guesses, a.*
  from counted c left join account a on true
    left join password_guesses g on g.key = coalesce(${guessKey('a."userId"')}, $7::bytea)`,
);

interface BegunAttempt {
  byAccount: number;
  byAddress: number;
  user: UserForSignIn | undefined;
  atHome: boolean;
  guesses: number;
}

type Counted = { ofAccount: boolean; count: number; guesses: number } & {
  [K in keyof (UserForSignIn & { atHome: boolean })]: (UserForSignIn & { atHome: boolean })[K] | null;
};

/**
 * Counts an attempt under both its keys, before its password is checked, so that simultaneous ones see each other, and
 * finds the account. The rows are taken in the order of their keys: no two attempts can wait for each other.
 * @returns how many came before it and have not drained away, for each key; the account, if there is one; whether the
 *   browser is at home in it; and the wrong passwords since the last right one
 */
export async function beginSignInAttempt(
  database: Queryable,
  { accountKey, homeKey, addressKey, email, known, emptyKey }: NewAttempt,
  now: Date,
): Promise<BegunAttempt> {
  const values = [accountKey, addressKey, now, emailKey(email), homeKey, known, emptyKey];
  const rows = await database.query<Counted>(BEGIN, values);
  const before = (ofAccount: boolean) => (rows.find((row) => row.ofAccount === ofAccount)?.count ?? 1) - 1;
  const { userId, passwordHash = null, suspended, asksForCode, atHome, guesses = 0 } = rows[0] ?? {};
  return {
    byAccount: before(true),
    byAddress: before(false),
    user: userId
      ? { userId, passwordHash, suspended: suspended === true, asksForCode: asksForCode === true }
      : undefined,
    atHome: atHome === true,
    guesses,
  };
}

/**
 * What the right password does, as a part of a statement: the count of the account is forgotten, and in that of the
 * address this attempt was none. The rows are taken in the same order as above.
 * @param accountKey where the statement has it, as are the address's and the time
 */
export const settling = (accountKey: string, addressKey: string, now: string): string =>
  `update sign_in_failures f
  set empty_at = case when f.key = ${accountKey}::bytea then ${now}::timestamptz
    else f.empty_at - make_interval(secs => ${DRAIN}) end
  from (select key from sign_in_failures where key in (${accountKey}::bytea, ${addressKey}::bytea)
    order by key for update) one
  where f.key = one.key`;

const SETTLE = statement(
  'settle_sign_in_attempt',
  `with forgotten as (${forgettingGuesses('$4::uuid')}) ${settling('$1', '$2', '$3')}`,
);

/** The right password of an account was given, and starts no session. */
export async function settleSignInAttempt(
  database: Queryable,
  { accountKey, addressKey }: AttemptKeys,
  userId: string,
  now: Date,
): Promise<void> {
  await database.query(SETTLE, [accountKey, addressKey, now, userId]);
}
