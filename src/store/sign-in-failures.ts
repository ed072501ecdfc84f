// Counts of wrong passwords, by which the next attempt is slowed down. A count drains by one every half minute; what is
// stored is the moment at which it will be empty, so nothing has to be written while it drains.
import { type Queryable, statement } from './database.ts';

/** Seconds in which a count falls by one. */
const DRAIN = 30;
/** A count never gets higher than this: twenty minutes of quiet empty the fullest. */
const HIGHEST = 40;

const COUNT = statement(
  'count_sign_in_attempt',
  `insert into sign_in_failures as f (key, empty_at)
  select one.key, $2::timestamptz + make_interval(secs => $3::int)
  from (values ($1::bytea), ($5::bytea)) as one (key) order by one.key
  on conflict (key) do update
  set empty_at = least(greatest(f.empty_at, $2::timestamptz) + make_interval(secs => $3::int),
    $2::timestamptz + make_interval(secs => $3::int * $4::int))
  returning key, ceil(extract(epoch from empty_at - $2::timestamptz) / $3::int)::int as count`,
);

/**
 * Counts an attempt under both its keys, before its password is checked, so that simultaneous ones see each other. The
 * rows are taken in the order of their keys: no two attempts can wait for each other.
 * @returns how many came before it and have not drained away, for each key
 */
export async function countSignInAttempts(
  database: Queryable,
  [one, other]: [Buffer, Buffer],
  now: Date,
): Promise<[number, number]> {
  const rows = await database.query<{ key: Buffer; count: number }>(COUNT, [one, now, DRAIN, HIGHEST, other]);
  const before = (key: Buffer) => (rows.find((row) => row.key.equals(key))?.count ?? 1) - 1;
  return [before(one), before(other)];
}

const SETTLE = statement(
  'settle_sign_in_attempt',
  `update sign_in_failures f
  set empty_at = case when f.key = $1::bytea then $3::timestamptz
    else f.empty_at - make_interval(secs => $4::int) end
  from (select key from sign_in_failures where key in ($1::bytea, $2::bytea) order by key for update) one
  where f.key = one.key`,
);

/**
 * What the right password does: the count of the account is forgotten, and in that of the address this attempt was none.
 * The rows are taken in the same order as above.
 */
export async function settleSignInAttempt(
  database: Queryable,
  { accountKey, addressKey }: { accountKey: Buffer; addressKey: Buffer },
  now: Date,
): Promise<void> {
  await database.query(SETTLE, [accountKey, addressKey, now, DRAIN]);
}
