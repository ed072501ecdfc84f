// Counts consecutive wrong passwords per account. The count doesn't decrease over time (ADR 4).
import type { Queryable } from './database.ts';
import { NIL_USER_ID } from './nil-user-id.ts';
import { count, execute } from './query.ts';

/** After this many failures, an unknown browser needs more than the password (NIST SP 800-63B §5.2.2). */
export const MAX_PASSWORD_FAILURES = 100;
const MAX_STORED_FAILURES = 1_000_000;

export const hasPasswordFailuresSql = (userId: string, limit: string): string =>
  `exists (select from throttles t where t.key = ${userId}::uuid and t.wrong >= ${limit}::int)`;

export const clearPasswordFailuresSql = (userId: string): string =>
  `delete from throttles t where t.key = ${userId}::uuid`;

export interface PasswordAttempt {
  userId: string | undefined;
  unknownEmailKey: string;
  ip: string;
  /** Number of wrong passwords to count. 0 if the password was correct but not sufficient. */
  wrong: number;
}

const addFailures = count<[key: string, wrong: number, now: Date]>(
  'count_password_failure',
  `insert into throttles as t (key, empty_at_ms, wrong) values ($1::uuid, $3::bigint, $2::int)
  on conflict (key) do update set wrong = least(t.wrong + $2::int, ${MAX_STORED_FAILURES})
  returning wrong`,
  (key, wrong, now) => [key, wrong, now.getTime()],
);

// Records one event per minute, account and IP so that attacks don't flood the audit log. The update repeats the time
// condition so that its duration doesn't reveal whether the email address is known.
const logAttempt = execute<[kind: string, userId: string, ip: string, now: Date]>(
  'log_password_attempt',
  `with repeated as (
    update events set detail = ('{"times": ' || ((detail ->> 'times')::int + 1)::text || '}')::jsonb
    where user_id = $2::uuid and at > $4::timestamptz - interval '1 minute' and at <= $4::timestamptz and id = (
      select e.id from events e
      where e.kind = $1::text and e.ip = $3::text and e.user_id = $2::uuid
        and e.at > $4::timestamptz - interval '1 minute' and e.at <= $4::timestamptz
      order by e.at desc limit 1)
    returning id
  ),
  inserted as (
    insert into events (at, kind, user_id, ip, detail)
    select $4::timestamptz, $1::text, $2::uuid, $3::text, '{"times": 1}'::jsonb
    where not exists (select from repeated)
  )
  select exists (select from repeated)`,
);

/**
 * Records a wrong or insufficient password. The response time doesn't reveal whether the password was correct or the
 * email address is known.
 * @returns the number of consecutive wrong passwords
 */
export async function recordPasswordAttempt(
  database: Queryable,
  { userId, unknownEmailKey, ip, wrong }: PasswordAttempt,
  now: Date,
): Promise<number> {
  const kind = wrong === 0 ? 'sign_in_by_mail' : 'sign_in_failed';
  const [failures] = await Promise.all([
    addFailures(database, userId ?? unknownEmailKey, wrong, now),
    logAttempt(database, kind, userId ?? NIL_USER_ID, ip, now),
  ]);
  return failures;
}
