// Wrong passwords since the last right one: from so many on, a password alone does not open the account to a browser that
// it does not know (D60). Unlike the counts that slow attempts down (sign-in-failures.ts) they do not drain. Tries
// of one minute from one address are one line of the audit log.
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** NIST SP 800-63B §5.2.2: no more than 100 consecutive failed attempts. */
export const GUESSES = 100;

/** A count is not worth more digits than this. */
const HIGHEST = 1_000_000;

/** What the count of an account is known by, in SQL. */
export const guessKey = (userId: string): string => `uuid_send(${userId})`;

/** Forgets the count of an account, as a part of a statement. */
export const forgettingGuesses = (userId: string, condition = 'true'): string =>
  `delete from password_guesses g where g.key = ${guessKey(userId)} and ${condition}`;

// Those of a minute from one address share a row of the audit log and are counted in it: trying passwords by the thousand
// does not fill it.
const RECORD = statement(
  'record_password_guess',
  `with again as (
    update events set detail = jsonb_build_object('times', (detail ->> 'times')::int + 1)
    where id = (
      select e.id from events e
      where e.kind = $6::text and e.address = $3::text and e.user_id is not distinct from $2::uuid
        and e.at > $1::timestamptz - interval '1 minute' and e.at <= $1::timestamptz
      order by e.at desc limit 1)
    returning id
  ),
  noted as (
    insert into events (at, kind, user_id, address, detail)
    select $1::timestamptz, $6::text, $2::uuid, $3::text, '{"times": 1}'::jsonb
    where not exists (select from again)
  )
  insert into password_guesses as g (key, wrong, forget_at)
  values (coalesce(${guessKey('$2::uuid')}, $4::bytea), $5::int,
    case when $2::uuid is null then $1::timestamptz + interval '90 days' end)
  on conflict (key) do update set wrong = least(g.wrong + excluded.wrong, ${HIGHEST}), forget_at = excluded.forget_at
  returning wrong`,
);

export interface Guess {
  /** The account that the password was tried on; absent where there is none with the email. */
  userId: string | undefined;
  /** What a guess at an email without an account counts under. */
  emptyKey: Buffer;
  address: string;
  /** How many wrong ones it stands for; 0: the password was right, but did not open the account. */
  wrong: number;
}

/**
 * Writes that a password was tried in vain, for an account or for none: the same work, whether it was right or wrong.
 * @returns how many wrong ones there were since the last right one
 */
export async function recordGuess(
  database: Queryable,
  { userId, emptyKey, address, wrong }: Guess,
  now: Date,
): Promise<number> {
  const kind = wrong === 0 ? 'sign_in_by_mail' : 'sign_in_failed';
  const [row] = await database.query<{ wrong: number }>(RECORD, [
    now,
    userId ?? null,
    address,
    emptyKey,
    wrong,
    kind,
  ]);
  return row?.wrong ?? 0;
}
