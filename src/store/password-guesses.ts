// Wrong passwords since the last right one, in the account's row of the throttles. They don't drain (ADR 4).

import { NO_USER } from './no-user.ts';
import { count } from './query.ts';

/** Wrong passwords after which a password alone opens no unknown browser (NIST SP 800-63B §5.2.2). */
export const GUESSES = 100;
const MAX_WRONG = 1_000_000;

/** The key of an account's row, in SQL. Attempts in a browser that the account knows have another one. */
export const accountKey = (userId: string): string => `uuid_send(${userId})`;

/** The same key outside of SQL. */
export const accountKeyOf = (userId: string): Buffer => Buffer.from(userId.replaceAll('-', ''), 'hex');

/** SQL: whether an account has at least this many wrong passwords since the last right one. */
export const hasGuesses = (userId: string, limit: string): string =>
  `exists (select from throttles t where t.key = ${accountKey(userId)} and t.wrong >= ${limit}::int)`;

export const forgettingGuesses = (userId: string): string =>
  `delete from throttles t where t.key = ${accountKey(userId)}`;

export interface Guess {
  /** The account that the password was tried on; undefined if there is none with the email. */
  userId: string | undefined;
  /** The key of a guess at an email without an account. */
  emptyKey: Buffer;
  address: string;
  /** How many wrong passwords it stands for; 0: the password was right, but did not open the account. */
  wrong: number;
}

// Guesses within a minute from one IP share a row of the audit log, so that thousands don't fill it.
/**
 * Records a guess: the same work for a right and a wrong password, with and without an account.
 * @returns the wrong passwords since the last right one
 */
export const recordGuess = count<[guess: Guess, now: Date]>(
  'record_password_guess',
  `with again as (
    update events set detail = jsonb_build_object('times', (detail ->> 'times')::int + 1)
    where user_id = $concerned::uuid and id = (
      select e.id from events e
      where e.kind = $kind::text and e.address = $address::text and e.user_id = $concerned::uuid
        and e.at > $now::timestamptz - interval '1 minute' and e.at <= $now::timestamptz
      order by e.at desc limit 1)
    returning id
  ),
  noted as (
    insert into events (at, kind, user_id, address, detail)
    select $now::timestamptz, $kind::text, $concerned::uuid, $address::text, '{"times": 1}'::jsonb
    where not exists (select from again)
  )
  insert into throttles as t (key, empty_at, wrong)
  values (coalesce(${accountKey('$userId::uuid')}, $emptyKey::bytea), $now::timestamptz, $wrong::int)
  on conflict (key) do update set wrong = least(t.wrong + excluded.wrong, ${MAX_WRONG})
  returning wrong`,
  ({ userId = null, wrong, ...guess }, now) => {
    const kind = wrong === 0 ? 'sign_in_by_mail' : 'sign_in_failed';
    return { ...guess, userId, concerned: userId ?? NO_USER, wrong, kind, now };
  },
);
