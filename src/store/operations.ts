// What operators see of accounts and applications: a page of a list at a time, searches through indexes, bounded counts.
import type { Client } from '../oauth/client.ts';
import type { Database, Queryable } from './database.ts';
import { type Statement, statement } from './statement.ts';
import { emailKey, type UserRow } from './users.ts';

/** Rows of a list that are shown at once. */
export const PAGE = 50;
/** Matches of a search beyond these are not looked at: by then it is time to type another letter. */
const MATCHES = 500;

/** Where a page of a list goes on: after this row. */
export interface After {
  createdAt: Date;
  id: string;
}

/** A page of a list; `next` is where the following one goes on, if there is one. */
export interface ListPage<Row> {
  rows: Row[];
  next: After | undefined;
  /** Whether a search had more matches than are looked at. */
  capped: boolean;
}

type Listed<Row> = Row & { createdAt: Date; capped?: boolean };

function pageOf<Row>(found: Listed<Row>[], idOf: (row: Row) => string): ListPage<Row> {
  const rows = found.slice(0, PAGE);
  const last = rows.at(-1);
  return {
    rows,
    next: found.length > PAGE && last ? { createdAt: last.createdAt, id: idOf(last) } : undefined,
    capped: found[0]?.capped ?? false,
  };
}

/** Bounds of what begins with a text, for the pattern operators, which go by bytes: the last character there is. */
const upTo = (prefix: string): string => `${prefix}\u{10ffff}`;

/** The matches of one column of one table by its beginning, in the order of its index so that the index is used. */
const beginsWith = (table: string, id: string, column: string, from: string, to: string): string =>
  `(select ${id} as id from ${table} where ${column} ~>=~ ${from} and ${column} ~<~ (${to})
    order by ${column} using ~<~ limit ${MATCHES})`;

const ACCOUNT_COLUMNS = `u.id as "userId", u.name, u.email, u.email_verified as "emailVerified", u.phone, u.operator,
  u.suspended_at is not null as suspended, u.profile_updated_at as "profileUpdatedAt", u.created_at as "createdAt"`;

/** Lists of accounts that are short by nature have an index of their own. */
const ACCOUNT_STATES = {
  any: 'true',
  operator: 'u.operator',
  suspended: 'u.suspended_at is not null',
};
export type AccountState = keyof typeof ACCOUNT_STATES;

/** Parameters: where to go on, and with a search the beginning of an email or a name, or a whole id. */
const LIST_ACCOUNTS = perState(ACCOUNT_STATES, (state, condition) => ({
  all: statement(
    `operators_accounts_${state}`,
    `select ${ACCOUNT_COLUMNS} from users u
    where (u.created_at, u.id) < ($1::timestamptz, $2::uuid) and ${condition}
    order by u.created_at desc, u.id desc limit ${PAGE + 1}`,
  ),
  matching: statement(
    `operators_accounts_${state}_matching`,
    `with found as materialized (
      ${beginsWith('users', 'id', 'email_key', '$3::text', '$4::text')}
      union ${beginsWith('users', 'id', 'lower(name)', 'lower($5::text)', 'lower($5::text) || $6::text')}
      union select id from users where id = $7::uuid
    )
    select ${ACCOUNT_COLUMNS}, (select count(*) >= ${MATCHES} from found) as capped
    from found f join users u on u.id = f.id
    where (u.created_at, u.id) < ($1::timestamptz, $2::uuid) and ${condition}
    order by u.created_at desc, u.id desc limit ${PAGE + 1}`,
  ),
}));

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text could be the id of an account at all; nothing else may be asked for as one. */
export const isUserId = (text: string): boolean => UUID.test(text);

/** Accounts, latest first: all of a state, or those whose email or name begins with a text, or whose id it is. */
export async function listAccounts(
  database: Queryable,
  { search, state = 'any', after }: { search?: string; state?: AccountState; after?: After | undefined },
): Promise<ListPage<UserRow>> {
  const from = [after?.createdAt ?? 'infinity', after?.id ?? LAST_ID];
  const found = await (search === undefined
    ? database.query<Listed<UserRow>>(LIST_ACCOUNTS[state].all, from)
    : database.query<Listed<UserRow>>(LIST_ACCOUNTS[state].matching, [
        ...from,
        emailKey(search),
        upTo(emailKey(search)),
        search,
        upTo(''),
        isUserId(search) ? search : null,
      ]));
  return pageOf(found, ({ userId }) => userId);
}

/** An account as its own page shows it. Counts stop at a thousand. */
export interface AccountDetail extends UserRow {
  suspendedAt: Date | null;
  openSessions: number;
  connectedApplications: number;
  ownedApplications: { clientId: string; name: string }[];
}

const FIND_ACCOUNT = statement(
  'operators_account',
  `select ${ACCOUNT_COLUMNS}, u.suspended_at as "suspendedAt",
    (select count(*)::int from (select from sessions s where s.user_id = u.id and s.expires_at > $2::timestamptz
      and s.user_epoch = u.epoch and u.suspended_at is null limit 1000) x) as "openSessions",
    (select count(*)::int from (select from consents k where k.user_id = u.id and k.withdrawn_at is null
      and exists (select from clients c where c.client_id = k.client_id) limit 1000) x) as "connectedApplications",
    coalesce((select json_agg(x) from (select c.client_id as "clientId", c.name from clients c
      where c.owner_id = u.id order by c.created_at limit ${PAGE}) x), '[]') as "ownedApplications"
  from users u where u.id = $1::uuid`,
);

/** One account by its id. */
export async function findAccount(
  database: Queryable,
  userId: string,
  now: Date,
): Promise<AccountDetail | undefined> {
  const [row] = await database.query<AccountDetail>(FIND_ACCOUNT, [userId, now]);
  return row;
}

/** A session as operators see it, ended ones for as long as they are kept. */
export interface SessionRow {
  authTime: Date;
  lastSeenAt: Date | null;
  /** '' once it was forgotten. */
  address: string;
  userAgent: string;
  open: boolean;
}

const LIST_SESSIONS = statement(
  'operators_sessions',
  `select s.auth_time as "authTime", s.last_seen_at as "lastSeenAt", s.address, s.user_agent as "userAgent",
    s.expires_at > $2::timestamptz and s.user_epoch = u.epoch and u.suspended_at is null as open
  from sessions s join users u on u.id = s.user_id
  where s.user_id = $1::uuid order by s.auth_time desc limit 20`,
);

/** The latest sessions of an account. */
export const listLatestSessions = (database: Queryable, userId: string, now: Date): Promise<SessionRow[]> =>
  database.query(LIST_SESSIONS, [userId, now]);

/** An application as operators see it. `people` stops at a thousand. */
export interface ApplicationRow extends Client {
  ownerId: string;
  ownerEmail: string;
  suspendedAt: Date | null;
  verifiedAt: Date | null;
  createdAt: Date;
  people: number;
}

/** What `people` counts to at most, so that a list with large applications is as quick as any. */
export const PEOPLE_COUNTED = 1000;

const APPLICATION_COLUMNS = `c.client_id as "clientId", c.name, c.type, c.redirect_uris as "redirectUris", c.scopes,
  c.standard, c.owner_id as "ownerId", o.email as "ownerEmail", c.suspended_at as "suspendedAt",
  c.verified_at as "verifiedAt", c.created_at as "createdAt",
  (select count(*)::int from (select from consents k where k.client_id = c.client_id and k.withdrawn_at is null
    limit ${PEOPLE_COUNTED}) x) as people`;

const APPLICATION_STATES = {
  any: 'true',
  suspended: 'c.suspended_at is not null',
  verified: 'c.verified_at is not null',
  unverified: 'c.verified_at is null',
};
export type ApplicationState = keyof typeof APPLICATION_STATES;

const LIST_APPLICATIONS = perState(APPLICATION_STATES, (state, condition) => ({
  all: statement(
    `operators_clients_${state}`,
    `select ${APPLICATION_COLUMNS} from clients c join users o on o.id = c.owner_id
    where (c.created_at, c.client_id) < ($1::timestamptz, $2::text) and ${condition}
    order by c.created_at desc, c.client_id desc limit ${PAGE + 1}`,
  ),
  matching: statement(
    `operators_clients_${state}_matching`,
    `with owners as materialized (${beginsWith('users', 'id', 'email_key', '$3::text', '$4::text')}),
    found as materialized (
      (select c.client_id as id from clients c join owners on c.owner_id = owners.id limit ${MATCHES})
      union ${beginsWith('clients', 'client_id', 'lower(name)', 'lower($5::text)', 'lower($5::text) || $6::text')}
      union select client_id from clients where client_id = $5::text
    )
    select ${APPLICATION_COLUMNS}, (select count(*) >= ${MATCHES} from found) as capped
    from found f join clients c on c.client_id = f.id join users o on o.id = c.owner_id
    where (c.created_at, c.client_id) < ($1::timestamptz, $2::text) and ${condition}
    order by c.created_at desc, c.client_id desc limit ${PAGE + 1}`,
  ),
}));

/** Applications, latest first: all of a state, or those whose name or owner's email begins with a text, or by Client ID. */
export async function listApplicationsPage(
  database: Queryable,
  { search, state = 'any', after }: { search?: string; state?: ApplicationState; after?: After | undefined },
): Promise<ListPage<ApplicationRow>> {
  const from = [after?.createdAt ?? 'infinity', after?.id ?? ''];
  const found = await (search === undefined
    ? database.query<Listed<ApplicationRow>>(LIST_APPLICATIONS[state].all, from)
    : database.query<Listed<ApplicationRow>>(LIST_APPLICATIONS[state].matching, [
        ...from,
        emailKey(search),
        upTo(emailKey(search)),
        search,
        upTo(''),
      ]));
  return pageOf(found, ({ clientId }) => clientId);
}

const FIND_APPLICATION = statement(
  'operators_client',
  `select ${APPLICATION_COLUMNS} from clients c join users o on o.id = c.owner_id where c.client_id = $1::text`,
);

/** One application by its Client ID. */
export async function findApplication(
  database: Queryable,
  clientId: string,
): Promise<ApplicationRow | undefined> {
  const [row] = await database.query<ApplicationRow>(FIND_APPLICATION, [clientId]);
  return row;
}

function perState<State extends string>(
  states: Record<State, string>,
  make: (state: State, condition: string) => { all: Statement; matching: Statement },
): Record<State, { all: Statement; matching: Statement }> {
  const entries = Object.entries(states) as [State, string][];
  return Object.fromEntries(
    entries.map(([state, condition]) => [state, make(state, condition)]),
  ) as ReturnType<typeof perState<State>>;
}

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
  applications: ['clients', 'true'],
  suspendedApplications: ['clients', 'suspended_at is not null'],
  verifiedApplications: ['clients', 'verified_at is not null'],
  sessions: ['sessions', 'expires_at > $1::timestamptz'],
  signIns: ['events', `kind = 'signed_in' and at > $2::timestamptz`],
  signUps: ['events', `kind = 'signed_up' and at > $2::timestamptz`],
  failures: ['events', `kind = 'sign_in_failed' and at > $2::timestamptz`],
} as const;
export type CountName = keyof typeof COUNTS;

// What of a row is looked at, and what the rows add up to. What is tried again and again is one event that says how
// often. A session that has not expired may have ended with its account's epoch (D28).
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
          ${condition === 'true' ? `(select reltuples::float8 from pg_class where oid = '${table}'::regclass)` : 'null::float8'} as estimate
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
