// Counts of wrong passwords, by which the next attempt is slowed down.
import { type Queryable, statement } from './database.ts';

/** A count is forgotten when nothing was added to it for this long, in milliseconds. */
const FORGET_AFTER = 15 * 60 * 1000;

const COUNT = statement(
  'count_sign_in_attempt',
  `insert into sign_in_failures as f (key, failures, last_at) values ($1::bytea, 1, $2::timestamptz)
  on conflict (key) do update
  set failures = case when f.last_at < $3::timestamptz then 1 else f.failures + 1 end, last_at = excluded.last_at
  returning failures`,
);

/**
 * Counts an attempt before its password is checked, so that simultaneous ones see each other.
 * @returns how many came before it
 */
export async function countSignInAttempt(database: Queryable, key: Buffer, now: Date): Promise<number> {
  const forgotten = new Date(now.getTime() - FORGET_AFTER);
  const [row] = await database.query<{ failures: number }>(COUNT, [key, now, forgotten]);
  return (row?.failures ?? 1) - 1;
}

const FORGET = statement('forget_sign_in_attempts', 'delete from sign_in_failures where key = $1::bytea');

/** Forgets the count of an account once the right password came. */
export async function forgetSignInAttempts(database: Queryable, key: Buffer): Promise<void> {
  await database.query(FORGET, [key]);
}

const TAKE_BACK = statement(
  'take_back_sign_in_attempt',
  'update sign_in_failures set failures = greatest(failures - 1, 0) where key = $1::bytea',
);

/** Takes one attempt back: it was not a failure after all. */
export async function takeBackSignInAttempt(database: Queryable, key: Buffer): Promise<void> {
  await database.query(TAKE_BACK, [key]);
}
