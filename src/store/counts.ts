// How many there are of everything, for operators: exact as far as it is cheap, then estimated.
import type { Database } from './database.ts';
import { statement } from './statement.ts';

/** Counting stops here; beyond it the size of a whole table is estimated from PostgreSQL's own statistics. */
export const COUNTED = 10_000;

/** A number of rows: exact up to COUNTED, then an estimate where `about`, else there are more than it says. */
export interface Count {
  value: number;
  kind: 'exact' | 'about' | 'moreThan';
}

const COUNTS = {
  accounts: ['users', 'true'],
  verified: ['users', 'email_verified'],
  suspended: ['users', 'suspended_at is not null'],
  operators: ['users', 'operator'],
  // Agents, which nobody owns, are counted on their own page.
  applications: ['clients', 'owner_id is not null'],
  suspendedApplications: ['clients', 'owner_id is not null and suspended_at is not null'],
  verifiedApplications: ['clients', 'verified_at is not null'],
  sessions: ['sessions', 'expires_at > $1::timestamptz'],
  signIns: ['events', `kind = 'signed_in' and at > $2::timestamptz`],
  signUps: ['events', `kind = 'signed_up' and at > $2::timestamptz`],
  failures: ['events', `kind = 'sign_in_failed' and at > $2::timestamptz`],
} as const;
export type CountName = keyof typeof COUNTS;

// What of a row is looked at, and what the rows add up to. What is tried again and again is one event that says how
// often. A session that has not expired may have ended with its account's epoch.
const LOOKED_AT: Record<string, string> = {
  events: 'detail',
  sessions: `(select u.epoch = s.user_epoch and u.suspended_at is null from users u where u.id = s.user_id) as open`,
};
const ADDED_UP: Record<string, string> = {
  events: `coalesce(sum(coalesce((detail ->> 'times')::int, 1)), 0)::float8`,
  sessions: 'count(*) filter (where open)::float8',
};

const COUNT = statement(
  'operators_counts',
  Object.entries(COUNTS)
    .map(
      ([name, [table, condition]]) =>
        `select '${name}' as name, count(*)::int as rows, ${ADDED_UP[table] ?? 'count(*)::float8'} as value,
          ${condition === 'true' || name === 'applications' ? `(select reltuples::float8 from pg_class where oid = '${table}'::regclass)` : 'null::float8'} as estimate
        from (select ${LOOKED_AT[table] ?? ''} from ${table} s where ${condition} limit ${COUNTED + 1}) x`,
    )
    .join('\nunion all '),
);

/** How many there are of everything, all at once. However many: no count looks at more than COUNTED rows that match. */
export async function countEverything(database: Database, now: Date): Promise<Record<CountName, Count>> {
  const aDayAgo = new Date(now.getTime() - 24 * 3600 * 1000);
  const counted = await database.query<{
    name: CountName;
    rows: number;
    value: number;
    estimate: number | null;
  }>(COUNT, [now, aDayAgo]);
  return Object.fromEntries(
    counted.map(({ name, rows, value, estimate }): [CountName, Count] => {
      if (rows <= COUNTED) return [name, { value, kind: 'exact' }];
      if (estimate !== null && estimate > COUNTED) return [name, { value: estimate, kind: 'about' }];
      return [name, { value: Math.max(0, value - 1), kind: 'moreThan' }];
    }),
  ) as Record<CountName, Count>;
}
