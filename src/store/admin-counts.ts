// Counts of accounts, clients and sessions, for administrators.
import type { Queryable } from './database.ts';
import { LIVE_SESSION_SQL } from './sessions.ts';
import { statement } from './statement.ts';

/** Maximum number of rows that are read for a count. */
export const MAX_COUNTED = 10_000;

export interface Count {
  value: number;
  /** Whether the table has more than `MAX_COUNTED` matching rows. If so, `value` is a lower bound. */
  isMore: boolean;
}

const COUNTS = {
  accounts: 'users',
  verified: 'users where email_verified',
  suspended: 'users where suspended_at is not null',
  admins: 'users where is_admin',
  // Excludes agents.
  applications: 'clients where owner_id is not null',
  suspendedApplications: 'clients where owner_id is not null and suspended_at is not null',
  verifiedApplications: 'clients where verified_at is not null',
  // Includes sessions that ended because the account's epoch was incremented. For these sessions, `live` is false, so
  // they aren't counted.
  sessions: `sessions s join users u on u.id = s.user_id where s.expires_at > $1::timestamptz`,
} as const;
export type CountedKind = keyof typeof COUNTS;

const STATEMENTS = (Object.entries(COUNTS) as [CountedKind, string][]).map(([name, rows]) => {
  const text = `select count(*)::int as rows, (count(*) filter (where live))::int as live
    from (select ${name === 'sessions' ? LIVE_SESSION_SQL : true} as live from ${rows} limit ${MAX_COUNTED + 1}) x`;
  return [name, statement(`admin_count_${name}`, text)] as const;
});

export async function countAll(database: Queryable, now: Date): Promise<Record<CountedKind, Count>> {
  const counts: [CountedKind, Count][] = [];
  for (const [name, countStatement] of STATEMENTS) {
    const values = name === 'sessions' ? [now] : [];
    const [counted] = await database.query<{ rows: number; live: number }>(countStatement, values);
    const { rows, live } = counted ?? { rows: 0, live: 0 };
    counts.push([name, { value: Math.min(live, MAX_COUNTED), isMore: rows > MAX_COUNTED }]);
  }
  return Object.fromEntries(counts) as Record<CountedKind, Count>;
}
