// How many there are of everything, for administrators.
import type { Queryable } from './database.ts';
import { LIVE_SESSION } from './sessions.ts';
import { statement } from './statement.ts';

export const COUNTED = 10_000;

/** A number of rows, up to COUNTED; `isMore` if there may be more. */
export interface Count {
  value: number;
  isMore: boolean;
}

const COUNTS = {
  accounts: 'users',
  verified: 'users where email_verified',
  suspended: 'users where suspended_at is not null',
  operators: 'users where operator',
  // Agents, which nobody owns, have a list of their own.
  applications: 'clients where owner_id is not null',
  suspendedApplications: 'clients where owner_id is not null and suspended_at is not null',
  verifiedApplications: 'clients where verified_at is not null',
  // A session that has not expired may have ended with its account's epoch.
  sessions: `sessions s join users u on u.id = s.user_id where s.expires_at > $1::timestamptz`,
} as const;
export type CountName = keyof typeof COUNTS;

// The limit bounds the rows that are read.
const STATEMENTS = (Object.entries(COUNTS) as [CountName, string][]).map(([name, rows]) => {
  const text = `select count(*)::int as rows, (count(*) filter (where live))::int as live
    from (select ${name === 'sessions' ? LIVE_SESSION : true} as live from ${rows} limit ${COUNTED + 1}) x`;
  return [name, statement(`operators_count_${name}`, text)] as const;
});

export async function countEverything(database: Queryable, now: Date): Promise<Record<CountName, Count>> {
  const counts: [CountName, Count][] = [];
  for (const [name, counting] of STATEMENTS) {
    const values = name === 'sessions' ? [now] : [];
    const [counted] = await database.query<{ rows: number; live: number }>(counting, values);
    const { rows, live } = counted ?? { rows: 0, live: 0 };
    counts.push([name, { value: Math.min(live, COUNTED), isMore: rows > COUNTED }]);
  }
  return Object.fromEntries(counts) as Record<CountName, Count>;
}
