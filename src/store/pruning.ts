// Deletes expired rows and erases old IPs, in batches. Only one process prunes at a time.
import type { Config } from '../config.ts';
import { ADDED_ENTRY_TTL, DEVICE_CODE_TTL } from '../oauth/lifetimes.ts';
import { pruneAgents } from './agents.ts';
import { pruneExclusions } from './api-access.ts';
import type { Database, Queryable } from './database.ts';
import { NIL_USER_ID } from './nil-user-id.ts';
import { findValue } from './query.ts';
import { statement } from './statement.ts';
import { pruneThrottles } from './throttling.ts';

/** Rows older than these times are deleted, or their IPs are erased. */
export interface PruneCutoffs {
  now: Date;
  /** A grant is kept until its code has expired so that the code can't be reused. */
  codeIssued: Date;
  grantUsed: Date;
  grantCreated: Date;
  entryAdded: Date;
  audited: Date;
  retained: Date;
}

/**
 * Margin for requests in flight, in milliseconds. Must be at least the maximum AUTHORIZATION_CODE_TTL. Otherwise, a
 * used code could be redeemed again.
 */
const IN_FLIGHT_MARGIN = 10 * 60 * 1000;

export type LifetimeSettings = Pick<
  Config,
  | 'authorizationCodeTtl'
  | 'accessTokenTtl'
  | 'refreshTokenIdleTtl'
  | 'refreshTokenMaxTtl'
  | 'auditRetention'
  | 'retention'
>;

export function pruneCutoffs(config: LifetimeSettings, now: Date): PruneCutoffs {
  const getCutoff = (seconds: number) => new Date(now.getTime() - seconds * 1000 - IN_FLIGHT_MARGIN);
  // A grant is kept until its access tokens have expired.
  const { accessTokenTtl, refreshTokenIdleTtl, refreshTokenMaxTtl } = config;
  return {
    now: getCutoff(0),
    codeIssued: getCutoff(Math.max(config.authorizationCodeTtl, DEVICE_CODE_TTL)),
    grantUsed: getCutoff(refreshTokenIdleTtl + accessTokenTtl),
    grantCreated: refreshTokenMaxTtl === 0 ? new Date(0) : getCutoff(refreshTokenMaxTtl + accessTokenTtl),
    entryAdded: getCutoff(ADDED_ENTRY_TTL),
    audited: getCutoff(config.auditRetention),
    retained: getCutoff(config.retention),
  };
}

const BATCH_SIZE = 1000;
/**
 * Must differ from all other advisory locks. Citus nodes have separate locks, so each statement rechecks its condition.
 */
const ADVISORY_LOCK_IDS = { expired: 0x5e5a4e, grants: 0x5e5a4f, consents: 0x5e5a50 };

const tryAdvisoryLock = findValue<boolean, [lock: number]>(
  'try_prune_lock',
  'select pg_try_advisory_xact_lock($1::int)',
);

const TABLES_PRUNED_BY_TIME = [
  ['access_tokens', 'user_id, hash', 'expires_at', 'now'],
  ['sessions', 'user_id, id_hash', 'expires_at', 'retained'],
  // Expired secrets are kept for RETENTION because the Diagnostics page shows them.
  ['secrets', 'holder, secret_hash', 'expires_at', 'retained'],
  ['used_tokens', 'user_id, key', 'expires_at', 'now'],
  ['remembered_devices', 'user_id, hash', 'expires_at', 'now'],
  ['transfer_offers', 'holder', 'expires_at', 'now'],
  ['one_time_tokens', 'user_id, hash', 'expires_at', 'now'],
  ['outbox', 'user_id, id', 'expires_at', 'now'],
  ['added_entries', 'holder, entry', 'added_at', 'entryAdded'],
  ['device_requests', 'user_code_mac', 'expires_at', 'now'],
  ['service_tokens', 'hash', 'expires_at', 'now'],
  ['used_assertions', 'holder, jti_hash', 'expires_at', 'now'],
  ['logout_deliveries', 'user_id, id', 'created_at', 'retained'],
  ['events', 'user_id, at, id', 'at', 'audited'],
  ['refusals', 'id', 'at', 'retained'],
  ['activity', "coalesce(client_id, ''), kind, day", 'day', 'retained'],
] as const;

// The time condition is repeated because a row may change before its deletion. With `order by`, Citus deletes the same
// rows from every copy of a reference table.
const PRUNE_STATEMENTS = TABLES_PRUNED_BY_TIME.map(([table, key, column, before]) => ({
  table,
  before,
  prune: statement(
    `prune_${table}`,
    `delete from ${table} where (${key}) in
      (select ${key} from ${table} where ${column} < $1::timestamptz
        order by ${column}, ${key} limit ${BATCH_SIZE})
      and ${column} < $1::timestamptz returning 1 as one`,
  ),
}));

const ERASE_IP_STATEMENTS = [
  ['events', 'user_id, at, id', 'at', 'ip is not null', 'null'],
  ['sessions', 'user_id, id_hash', 'auth_time', `ip <> '' and coalesce(last_seen_at, auth_time) < $1`, `''`],
].map(([table, key, column, condition, erased]) =>
  statement(
    `erase_ips_of_${table}`,
    `update ${table} set ip = ${erased} where (${key}) in
      (select ${key} from ${table} where ${column} < $1::timestamptz and ${condition} limit ${BATCH_SIZE})
      and ${column} < $1::timestamptz and ${condition} returning 1 as one`,
  ),
);

// The primary key is scanned because an index on a time column would prevent HOT updates. Invalid grants are kept until
// their codes have expired.
const SWEEP_GRANTS = statement(
  'sweep_grants',
  `with batch as (
    select g.user_id, g.id from grants g where (g.user_id, g.id) > ($1::uuid, $2::uuid)
    order by g.user_id, g.id limit ${BATCH_SIZE}
  ),
  live as (
    select g.client_id, count(*)::int as number
    from batch
      join grants g on g.user_id = batch.user_id and g.id = batch.id
      join users u on u.id = g.user_id
      join clients c on c.client_id = g.client_id
      join consents k on k.user_id = g.user_id and k.client_id = g.client_id
    where g.epoch = u.epoch + c.epoch + k.epoch and g.revoked_at is null
      and g.created_at >= $3::timestamptz and g.rotated_at >= $5::timestamptz
    group by g.client_id
  ),
  deleted as (
    delete from grants g using batch
    where g.user_id = batch.user_id and g.id = batch.id and g.created_at < $4::timestamptz and (
      g.revoked_at is not null or g.created_at < $3::timestamptz or g.rotated_at < $5::timestamptz
      or not exists (
        select from users u, clients c, consents k
        where u.id = g.user_id and c.client_id = g.client_id and k.user_id = g.user_id
          and k.client_id = g.client_id and g.epoch = u.epoch + c.epoch + k.epoch))
    returning 1
  )
  select array[user_id::text, id::text] as cursor,
    (select jsonb_object_agg(client_id, number) from live) as live,
    (select count(*)::int from deleted) as deleted, (select count(*)::int from batch) as scanned
  from batch order by user_id desc, id desc limit 1`,
);

const defineSweepStatement = (table: string, key: string, from: string, condition: string) =>
  statement(
    `sweep_${table}`,
    `with batch as (
    select ${key} from ${table} where (${key}) > (${from}) order by ${key} limit ${BATCH_SIZE}
  ),
  deleted as (
    delete from ${table} t where (${key}) in (select ${key} from batch) and ${condition} returning 1
  )
  select array[${key.replaceAll(',', '::text,')}::text] as cursor, (select count(*)::int from deleted) as deleted,
    (select count(*)::int from batch) as scanned
  from batch order by (${key}) desc limit 1`,
  );

const SWEEP_CONSENTS = defineSweepStatement(
  'consents',
  'user_id, client_id',
  '$1::uuid, $2::text',
  'not exists (select from clients c where c.client_id = t.client_id)',
);

type DeletedCounts = Record<string, number>;

/**
 * Deletes a batch of rows from every table and erases a batch of IPs.
 * @returns the number of deleted rows per table, and whether more rows may be due. Undefined if another process is
 * pruning.
 */
export async function pruneExpired(
  database: Database,
  cutoffs: PruneCutoffs,
): Promise<{ deleted: DeletedCounts; hasMore: boolean } | undefined> {
  return runExclusively(database, ADVISORY_LOCK_IDS.expired, async (transaction) => {
    const deleted: DeletedCounts = {};
    for (const { table, prune, before } of PRUNE_STATEMENTS)
      deleted[table] = (await transaction.query(prune, [cutoffs[before]])).length;
    deleted.api_exclusions = await pruneExclusions(transaction);
    deleted.agents = await pruneAgents(transaction, cutoffs.now);
    const counts = Object.values(deleted);
    for (const erase of ERASE_IP_STATEMENTS)
      counts.push((await transaction.query(erase, [cutoffs.retained])).length);
    // Throttles are pruned last because sign-ins wait while these rows are locked.
    deleted.throttles = await pruneThrottles(transaction, cutoffs.now, BATCH_SIZE);
    return { deleted, hasMore: [...counts, deleted.throttles].includes(BATCH_SIZE) };
  });
}

const SWEEPS_BY_TABLE = {
  grants: {
    start: [NIL_USER_ID, NIL_USER_ID],
    sweep: SWEEP_GRANTS,
    parameters: ({ grantCreated, codeIssued, grantUsed }: PruneCutoffs) => [
      grantCreated,
      codeIssued,
      grantUsed,
    ],
  },
  consents: { start: [NIL_USER_ID, ''], sweep: SWEEP_CONSENTS, parameters: () => [] },
};

export type SweptTable = keyof typeof SWEEPS_BY_TABLE;
export const SWEPT_TABLES = Object.keys(SWEEPS_BY_TABLE) as SweptTable[];

type LiveGrantCounts = Record<string, number>;

export type SweepCursor = string[] | undefined;

/**
 * Scans a batch of rows in a table and deletes the invalid ones.
 * @returns undefined if another process is scanning the table
 */
export function sweepBatch(
  database: Database,
  table: SweptTable,
  cutoffs: PruneCutoffs,
  from: SweepCursor,
): Promise<{ cursor: SweepCursor; deleted: number; live: LiveGrantCounts } | undefined> {
  const { start, sweep, parameters } = SWEEPS_BY_TABLE[table];
  return runExclusively(database, ADVISORY_LOCK_IDS[table], async (transaction) => {
    type SweepRow = { cursor: string[]; scanned: number; deleted: number; live?: LiveGrantCounts | null };
    const [row] = await transaction.query<SweepRow>(sweep, [...(from ?? start), ...parameters(cutoffs)]);
    if (row === undefined) return { cursor: undefined, deleted: 0, live: {} };
    const { cursor, scanned, deleted, live } = row;
    return { cursor: scanned < BATCH_SIZE ? undefined : cursor, deleted, live: live ?? {} };
  });
}

/** Returns undefined if another process holds the lock. */
function runExclusively<Result>(
  database: Database,
  lock: number,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result | undefined> {
  return database.transaction(async (transaction) =>
    (await tryAdvisoryLock(transaction, lock)) ? work(transaction) : undefined,
  );
}
