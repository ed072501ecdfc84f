// Counts for the administrators' overview.
import type { Queryable } from './database.ts';
import { LIVE_SESSION_SQL } from './sessions.ts';
import { statement } from './statement.ts';

export const MAX_COUNTED = 10_000;

/** Age in seconds at which a queued email is overdue. */
const EMAIL_OVERDUE_AFTER = 600;
/** Period in which reports are counted, in seconds. */
const REPORT_COUNT_PERIOD = 14 * 24 * 3600;

export interface Count {
  value: number;
  /** If true, the table has more rows and `value` is a lower bound. */
  isCapped: boolean;
}

// Conditions that match few rows need a partial index to avoid a full scan.
const COUNTED_ROWS = {
  accounts: 'users',
  admins: 'users where is_admin',
  // `COUNT_STATEMENTS` also excludes sessions that a new epoch has ended.
  sessions: 'sessions s join users u on u.id = s.user_id where s.expires_at > $now::timestamptz',
  applications: 'clients where owner_id is not null',
  apis: 'apis',
  agents: 'agents',
  suspended: 'users where suspended_at is not null',
  suspendedApplications: 'clients where owner_id is not null and suspended_at is not null',
  suspendedApis: 'apis where suspended_at is not null',
  reports: `events where kind = 'unauthorized_activity_reported' and at > $reportedSince::timestamptz`,
  overdueEmails: 'outbox where created_at < $queuedBefore::timestamptz and expires_at > $now::timestamptz',
} as const;
export type CountedKind = keyof typeof COUNTED_ROWS;

const COUNT_STATEMENTS = (Object.entries(COUNTED_ROWS) as [CountedKind, string][]).map(([name, rows]) => {
  const text = `select count(*)::int as rows, (count(*) filter (where live))::int as live
    from (select ${name === 'sessions' ? LIVE_SESSION_SQL : true} as live from ${rows} limit ${MAX_COUNTED + 1}) x`;
  return [name, statement(`admin_count_${name}`, text)] as const;
});

export async function countForOverview(database: Queryable, now: Date): Promise<Record<CountedKind, Count>> {
  const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  const values = {
    now,
    reportedSince: secondsAgo(REPORT_COUNT_PERIOD),
    queuedBefore: secondsAgo(EMAIL_OVERDUE_AFTER),
  };
  const counts: [CountedKind, Count][] = [];
  for (const [name, countStatement] of COUNT_STATEMENTS) {
    const [counted] = await database.query<{ rows: number; live: number }>(countStatement, values);
    const { rows, live } = counted ?? { rows: 0, live: 0 };
    counts.push([name, { value: Math.min(live, MAX_COUNTED), isCapped: rows > MAX_COUNTED }]);
  }
  return Object.fromEntries(counts) as Record<CountedKind, Count>;
}
