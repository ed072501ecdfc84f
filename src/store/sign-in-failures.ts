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
  values ($1::bytea, $2::timestamptz + make_interval(secs => $3::int))
  on conflict (key) do update
  set empty_at = least(greatest(f.empty_at, $2::timestamptz) + make_interval(secs => $3::int),
    $2::timestamptz + make_interval(secs => $3::int * $4::int))
  returning ceil(extract(epoch from empty_at - $2::timestamptz) / $3::int)::int as count`,
);

/**
 * Counts an attempt before its password is checked, so that simultaneous ones see each other.
 * @returns how many came before it and have not drained away
 */
export async function countSignInAttempt(database: Queryable, key: Buffer, now: Date): Promise<number> {
  const [row] = await database.query<{ count: number }>(COUNT, [key, now, DRAIN, HIGHEST]);
  return (row?.count ?? 1) - 1;
}

const FORGET = statement('forget_sign_in_attempts', 'delete from sign_in_failures where key = $1::bytea');

/** Forgets the count of an account once the right password came. */
export async function forgetSignInAttempts(database: Queryable, key: Buffer): Promise<void> {
  await database.query(FORGET, [key]);
}

const TAKE_BACK = statement(
  'take_back_sign_in_attempt',
  'update sign_in_failures set empty_at = empty_at - make_interval(secs => $2::int) where key = $1::bytea',
);

/** Takes one attempt back: it was not a failure after all. */
export async function takeBackSignInAttempt(database: Queryable, key: Buffer): Promise<void> {
  await database.query(TAKE_BACK, [key, DRAIN]);
}
