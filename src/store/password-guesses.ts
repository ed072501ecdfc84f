// Wrong passwords since the last right one, in the account's row of the throttles. They don't drain (ADR 4).
import type { Queryable } from './database.ts';
import { NO_USER } from './no-user.ts';
import { count, execute } from './query.ts';

/** Wrong passwords after which a password alone opens no unknown browser (NIST SP 800-63B §5.2.2). */
export const GUESSES = 100;
const MAX_WRONG = 1_000_000;

/** SQL: whether an account has at least this many wrong passwords since the last right one. */
export const hasGuesses = (userId: string, limit: string): string =>
  `exists (select from throttles t where t.key = ${userId}::uuid and t.wrong >= ${limit}::int)`;

export const forgettingGuesses = (userId: string): string =>
  `delete from throttles t where t.key = ${userId}::uuid`;

export interface Guess {
  /** The account that the password was tried on; undefined if there is none with the email. */
  userId: string | undefined;
  /** The key of a guess at an email without an account. */
  emptyKey: string;
  address: string;
  /** How many wrong passwords it stands for; 0: the password was right, but did not open the account. */
  wrong: number;
}

const countWrong = count<[key: string, wrong: number, now: Date]>(
  'count_wrong_password',
  `insert into throttles as t (key, empty_ms, wrong) values ($1::uuid, $3::bigint, $2::int)
  on conflict (key) do update set wrong = least(t.wrong + $2::int, ${MAX_WRONG})
  returning wrong`,
  (key, wrong, now) => [key, wrong, now.getTime()],
);

// Guesses within a minute from one IP share a row of the audit log, so that thousands don't fill it. The update bounds the time
// itself. Otherwise it would read all events of NO_USER, and take longer for an email without an account.
const logGuess = execute<[kind: string, userId: string, address: string, now: Date]>(
  'log_password_guess',
  `with again as (
    update events set detail = ('{"times": ' || ((detail ->> 'times')::int + 1)::text || '}')::jsonb
    where user_id = $2::uuid and at > $4::timestamptz - interval '1 minute' and at <= $4::timestamptz and id = (
      select e.id from events e
      where e.kind = $1::text and e.address = $3::text and e.user_id = $2::uuid
        and e.at > $4::timestamptz - interval '1 minute' and e.at <= $4::timestamptz
      order by e.at desc limit 1)
    returning id
  ),
  noted as (
    insert into events (at, kind, user_id, address, detail)
    select $4::timestamptz, $1::text, $2::uuid, $3::text, '{"times": 1}'::jsonb
    where not exists (select from again)
  )
  select exists (select from again)`,
);

/**
 * Records a guess: the same work for a right and a wrong password, with and without an account.
 * @returns the wrong passwords since the last right one
 */
export async function recordGuess(
  database: Queryable,
  { userId, emptyKey, address, wrong }: Guess,
  now: Date,
): Promise<number> {
  const kind = wrong === 0 ? 'sign_in_by_mail' : 'sign_in_failed';
  const [guesses] = await Promise.all([
    countWrong(database, userId ?? emptyKey, wrong, now),
    logGuess(database, kind, userId ?? NO_USER, address, now),
  ]);
  return guesses;
}
