// Pruning: deletes expired rows in small batches, by one process at a time, and erases IP addresses from rows that are kept.
// What expires is found by its time; what ends with something else, by a walk along the table.
import type { Config } from '../config.ts';
import { ADDED_ENTRY, DEVICE_CODE } from '../oauth/lifetimes.ts';
import { pruneAgents } from './agents.ts';
import { pruneExclusions } from './api-access.ts';
import type { Database, Queryable } from './database.ts';
import { NO_USER } from './no-user.ts';
import { findValue } from './query.ts';
import { statement } from './statement.ts';
import { pruneThrottles } from './throttling.ts';

export interface PruneBefore {
  /** What expires by itself: access tokens, counts of wrong passwords, what was sent by mail. */
  now: Date;
  /** Codes and device codes issued before this have expired. Grants stay until then, because a grant uses its code up. */
  codeIssued: Date;
  /** Grants last used before this have expired by inactivity. */
  grantUsed: Date;
  /** Grants made before this have reached their absolute lifetime. */
  grantCreated: Date;
  /** Entries that were added before this can no longer be reported. */
  entryAdded: Date;
  /** Events of the audit log before this are past AUDIT_RETENTION. */
  audited: Date;
  /** Before this, everything else that is only kept to be looked at is past RETENTION: ended sessions, refused requests, daily counts, IP addresses. */
  retained: Date;
}

/**
 * Rows are kept longer for requests in flight, by the maximum of AUTHORIZATION_CODE_TTL: without its grant, a used code
 * would be valid again.
 */
const MARGIN = 10 * 60 * 1000;

export type LifetimeSettings = Pick<
  Config,
  | 'authorizationCodeTtl'
  | 'accessTokenTtl'
  | 'refreshTokenIdleTtl'
  | 'refreshTokenMaxTtl'
  | 'auditRetention'
  | 'retention'
>;

/** The limits before which rows are past use, by the clock and the lifetimes in force. */
export function limitsOf(config: LifetimeSettings, now: Date): PruneBefore {
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000 - MARGIN);
  // A refresh token's end is not that of the access token it got last, which needs the grant until its own.
  const { accessTokenTtl, refreshTokenIdleTtl, refreshTokenMaxTtl } = config;
  return {
    now: before(0),
    codeIssued: before(Math.max(config.authorizationCodeTtl, DEVICE_CODE)),
    grantUsed: before(refreshTokenIdleTtl + accessTokenTtl),
    grantCreated: refreshTokenMaxTtl === 0 ? new Date(0) : before(refreshTokenMaxTtl + accessTokenTtl),
    entryAdded: before(ADDED_ENTRY),
    audited: before(config.auditRetention),
    retained: before(config.retention),
  };
}

const BATCH = 1000;
/**
 * Any constants will do that no other advisory lock uses. On Citus, processes at different nodes may prune the same rows at once,
 * which is safe because each statement checks its condition again.
 */
const LOCKS = { expired: 0x5e5a4e, grants: 0x5e5a4f, consents: 0x5e5a50 };

const tryLock = findValue<boolean, [lock: number]>(
  'try_prune_lock',
  'select pg_try_advisory_xact_lock($1::int)',
);

const BY_TIME = [
  ['access_tokens', 'user_id, hash', 'expires_at', 'now'],
  ['sessions', 'user_id, id_hash', 'expires_at', 'retained'],
  // Kept as long as refusals: diagnostics say which secret it was that had expired.
  ['secrets', 'holder, secret_hash', 'expires_at', 'retained'],
  ['spent_tokens', 'user_id, key', 'expires_at', 'now'],
  ['trusted_browsers', 'user_id, hash', 'expires_at', 'now'],
  ['transfer_offers', 'holder', 'expires_at', 'now'],
  ['one_time_tokens', 'user_id, hash', 'expires_at', 'now'],
  ['mails', 'user_id, id', 'expires_at', 'now'],
  ['added_entries', 'holder, entry', 'added_at', 'entryAdded'],
  ['device_requests', 'user_code_mac', 'expires_at', 'now'],
  ['service_tokens', 'hash', 'expires_at', 'now'],
  ['used_assertions', 'holder, jti_hash', 'expires_at', 'now'],
  ['logout_deliveries', 'user_id, id', 'created_at', 'retained'],
  ['events', 'user_id, at, id', 'at', 'audited'],
  ['refusals', 'id', 'at', 'retained'],
  ['activity', "coalesce(client_id, ''), kind, day", 'day', 'retained'],
] as const;

// A row may be renewed between the two looks at it, so each asks for its time. In order, so that every copy of a reference
// table loses the same rows.
const PRUNE_BY_TIME = BY_TIME.map(([table, key, column, before]) => ({
  table,
  before,
  prune: statement(
    `prune_${table}`,
    `delete from ${table} where (${key}) in
      (select ${key} from ${table} where ${column} < $1::timestamptz
        order by ${column}, ${key} limit ${BATCH})
      and ${column} < $1::timestamptz returning 1 as one`,
  ),
}));

// A session's address is that of where it was last seen; one that is open for longer is seen again.
const FORGET_ADDRESSES = [
  ['events', 'user_id, at, id', 'at', 'address is not null', 'null'],
  [
    'sessions',
    'user_id, id_hash',
    'auth_time',
    `address <> '' and coalesce(last_seen_at, auth_time) < $1`,
    `''`,
  ],
].map(([table, key, column, held, nothing]) =>
  statement(
    `forget_addresses_of_${table}`,
    `update ${table} set address = ${nothing} where (${key}) in
      (select ${key} from ${table} where ${column} < $1::timestamptz and ${held} limit ${BATCH})
      and ${column} < $1::timestamptz and ${held} returning 1 as one`,
  ),
);

// Grants have no index on time, which keeps their updates cheap (HOT). Dead grants stay until their codes have expired, but
// only live ones are counted.
const SWEEP_GRANTS = statement(
  'sweep_grants',
  `with batch as (
    select g.user_id, g.id from grants g where (g.user_id, g.id) > ($1::uuid, $2::uuid)
    order by g.user_id, g.id limit ${BATCH}
  ),
  live as (
    select g.client_id, count(*)::int as number
    from batch
      join grants g on g.user_id = batch.user_id and g.id = batch.id
      join users u on u.id = g.user_id
      join clients c on c.client_id = g.client_id
      join consents k on k.user_id = g.user_id and k.client_id = g.client_id
    where g.epoch = u.epoch + c.epoch + k.epoch and g.revoked_at is null
      and g.created_at >= $3::timestamptz and g.advanced_at >= $5::timestamptz
    group by g.client_id
  ),
  deleted as (
    delete from grants g using batch
    where g.user_id = batch.user_id and g.id = batch.id and g.created_at < $4::timestamptz and (
      g.revoked_at is not null or g.created_at < $3::timestamptz or g.advanced_at < $5::timestamptz
      or not exists (
        select from users u, clients c, consents k
        where u.id = g.user_id and c.client_id = g.client_id and k.user_id = g.user_id
          and k.client_id = g.client_id and g.epoch = u.epoch + c.epoch + k.epoch))
    returning 1
  )
  select array[user_id::text, id::text] as place,
    (select jsonb_object_agg(client_id, number) from live) as live,
    (select count(*)::int from deleted) as deleted, (select count(*)::int from batch) as looked
  from batch order by user_id desc, id desc limit 1`,
);

/** Walks along a table and deletes what is dead. @param from the place, as parameters */
const sweeping = (table: string, key: string, from: string, dead: string) =>
  statement(
    `sweep_${table}`,
    `with batch as (
    select ${key} from ${table} where (${key}) > (${from}) order by ${key} limit ${BATCH}
  ),
  deleted as (
    delete from ${table} t where (${key}) in (select ${key} from batch) and ${dead} returning 1
  )
  select array[${key.replaceAll(',', '::text,')}::text] as place, (select count(*)::int from deleted) as deleted,
    (select count(*)::int from batch) as looked
  from batch order by (${key}) desc limit 1`,
  );

const SWEEP_CONSENTS = sweeping(
  'consents',
  'user_id, client_id',
  '$1::uuid, $2::text',
  'not exists (select from clients c where c.client_id = t.client_id)',
);

type Deleted = Record<string, number>;

/**
 * Deletes one batch of every table that is pruned by time, and erases one batch of IP addresses.
 * @returns what was deleted and whether there is more; undefined if another process is pruning
 */
export async function pruneExpired(
  database: Database,
  before: PruneBefore,
): Promise<{ deleted: Deleted; more: boolean } | undefined> {
  return alone(database, LOCKS.expired, async (transaction) => {
    const deleted: Deleted = {};
    for (const one of PRUNE_BY_TIME)
      deleted[one.table] = (await transaction.query(one.prune, [before[one.before]])).length;
    deleted.api_exclusions = await pruneExclusions(transaction);
    deleted.agents = await pruneAgents(transaction, before.now);
    const counts = Object.values(deleted);
    for (const forget of FORGET_ADDRESSES)
      counts.push((await transaction.query(forget, [before.retained])).length);
    // Last, because attempts whose rows are deleted wait until the transaction ends.
    deleted.throttles = await pruneThrottles(transaction, before.now, BATCH);
    return { deleted, more: [...counts, deleted.throttles].includes(BATCH) };
  });
}

// The nil UUID is lower than all others.
const WALKS = {
  grants: {
    start: [NO_USER, NO_USER],
    sweep: SWEEP_GRANTS,
    limits: ({ grantCreated, codeIssued, grantUsed }: PruneBefore) => [grantCreated, codeIssued, grantUsed],
  },
  consents: { start: [NO_USER, ''], sweep: SWEEP_CONSENTS, limits: () => [] },
};

export type WalkedTable = keyof typeof WALKS;
export const WALKED_TABLES = Object.keys(WALKS) as WalkedTable[];

type LiveOf = Record<string, number>;

/** Where a walk has got to: the key of the row that it looked at last; undefined: it begins. */
export type Place = string[] | undefined;

/**
 * Looks at the next batch of a table, and deletes the dead in it.
 * @param from where the walk continues; a process keeps it between calls
 * @returns undefined if another process is at this table
 */
export function walkOn(
  database: Database,
  table: WalkedTable,
  before: PruneBefore,
  from: Place,
): Promise<{ place: Place; deleted: number; live: LiveOf } | undefined> {
  const { start, sweep, limits } = WALKS[table];
  return alone(database, LOCKS[table], async (transaction) => {
    type Swept = { place: string[]; looked: number; deleted: number; live?: LiveOf | null };
    const [row] = await transaction.query<Swept>(sweep, [...(from ?? start), ...limits(before)]);
    if (row === undefined) return { place: undefined, deleted: 0, live: {} };
    const { place, looked, deleted, live } = row;
    return { place: looked < BATCH ? undefined : place, deleted, live: live ?? {} };
  });
}

/** Works in one transaction, unless another process does. */
function alone<Result>(
  database: Database,
  lock: number,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result | undefined> {
  return database.transaction(async (transaction) =>
    (await tryLock(transaction, lock)) ? work(transaction) : undefined,
  );
}
