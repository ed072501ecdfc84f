// How many there are of everything, for administrators.
import type { Database } from './database.ts';
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
  sessions: 'sessions s where expires_at > $1::timestamptz',
} as const;
export type CountName = keyof typeof COUNTS;

// A session that has not expired may have ended with its account's epoch. The limit bounds the rows that are read.
const LIVE = `exists (select from users u where u.id = s.user_id and ${LIVE_SESSION})`;

const COUNT = statement(
  'operators_counts',
  Object.entries(COUNTS)
    .map(
      ([name, rows]) =>
        `select '${name}' as name, count(*)::int as rows, (count(*) filter (where live))::int as live
        from (select ${name === 'sessions' ? LIVE : true} as live from ${rows} limit ${COUNTED + 1}) x`,
    )
    .join('\nunion all '),
);

export async function countEverything(database: Database, now: Date): Promise<Record<CountName, Count>> {
  const counted = await database.query<{ name: CountName; rows: number; live: number }>(COUNT, [now]);
  return Object.fromEntries(
    counted.map(({ name, rows, live }) => [name, { value: Math.min(live, COUNTED), isMore: rows > COUNTED }]),
  ) as Record<CountName, Count>;
}
