// What somebody may do so often an hour, or in another time: counts that drain, shared by all processes. Stored is the moment at which a
// count will be empty. Unlike those of wrong passwords (sign-in-failures.ts) they are limits: what is refused is not
// counted, so that nobody is kept out by somebody else's going on.
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

const TAKE = statement(
  'take_allowance',
  `insert into allowances as a (key, empty_at)
  values ($1::bytea, $2::timestamptz + make_interval(secs => $4::float8 / $3::int))
  on conflict (key) do update
  set empty_at = greatest(a.empty_at, $2::timestamptz) + make_interval(secs => $4::float8 / $3::int)
  where a.empty_at <= $2::timestamptz + make_interval(secs => $4::float8 - $4::float8 / $3::int)
  returning 1 as one`,
);

const RETURN = statement(
  'return_allowance',
  `update allowances set empty_at = empty_at - make_interval(secs => $3::float8 / $2::int) where key = $1::bytea`,
);

/** Returns one that was taken for something that turned out not to count. @param period as it was taken for */
export async function returnAllowance(
  database: Queryable,
  key: Buffer,
  number: number,
  period: number,
): Promise<void> {
  await database.query(RETURN, [key, number, period]);
}

/**
 * Takes one out of so many an hour: all of them at once, then one more each time that one has drained away.
 * @param period another time than an hour, in seconds
 * @returns false when none is left
 */
export const takeAllowance = async (
  database: Queryable,
  key: Buffer,
  perHour: number,
  now: Date,
  period = 3600,
): Promise<boolean> => (await database.query(TAKE, [key, now, perHour, period])).length === 1;
