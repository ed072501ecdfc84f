// Pruning: rows that can no longer matter are deleted in small batches, by one process at a time.
import { type Database, type Queryable, statement } from './database.ts';

/** Limits before which a row is past use. */
export interface PruneBefore {
  /** What expires by itself: access tokens, sessions, secrets, counts of wrong passwords. */
  now: Date;
  /** Codes issued before this were never redeemed in time. */
  codeIssued: Date;
  /** Grants last used before this have expired by inactivity. */
  grantUsed: Date;
  /** Grants made before this have reached their absolute lifetime. */
  grantCreated: Date;
}

const BATCH = 1000;
/** Any constant will do; it names this work among the database's advisory locks. */
const LOCK = 0x5e5a4e;

const TRY_LOCK = statement('try_prune_lock', 'select pg_try_advisory_xact_lock($1::int) as locked');

const BY_TIME = [
  ['access_tokens', 'hash', 'expires_at'],
  ['sessions', 'id_hash', 'expires_at'],
  ['sign_in_failures', 'key', 'empty_at'],
  ['client_secrets', 'client_id, secret_hash', 'expires_at'],
] as const;

const PRUNE_BY_TIME = BY_TIME.map(
  ([table, key, column]) =>
    [
      table,
      statement(
        `prune_${table}`,
        `delete from ${table} where (${key}) in
          (select ${key} from ${table} where ${column} < $1::timestamptz limit ${BATCH}) returning 1 as one`,
      ),
    ] as const,
);

// Grants have no index on time, which keeps their updates cheap (HOT): a walk along the primary key looks at each in
// its turn. A grant is dead when it was revoked, ran out, or its epochs have moved on; none of that can be undone, so
// what was read dead may be deleted.
const SWEEP_GRANTS = statement(
  'sweep_grants',
  `with batch as (
    select g.id, g.revoked_at is not null or g.created_at < $2::timestamptz
      or g.advanced_at < case g.generation when 0 then $3::timestamptz else $4::timestamptz end
      or not exists (
        select from users u, clients c, consents k
        where u.id = g.user_id and c.client_id = g.client_id and k.user_id = g.user_id
          and k.client_id = g.client_id and g.epoch = u.epoch + c.epoch + k.epoch) as dead
    from grants g where g.id > $1::uuid order by g.id limit ${BATCH}
  ),
  deleted as (
    delete from grants g using batch where g.id = batch.id and batch.dead returning 1
  )
  select id as last, (select count(*)::int from batch where not dead) as live,
    (select count(*)::int from deleted) as deleted
  from batch order by id desc limit 1`,
);

const SWEEP_CONSENTS = statement(
  'sweep_consents',
  `with batch as (
    select k.user_id, k.client_id from consents k
    where (k.user_id, k.client_id) > ($1::uuid, $2::text) order by k.user_id, k.client_id limit ${BATCH}
  ),
  deleted as (
    delete from consents k using batch
    where k.user_id = batch.user_id and k.client_id = batch.client_id
      and not exists (select from clients c where c.client_id = k.client_id) returning 1
  )
  select user_id as "userId", client_id as "clientId", (select count(*)::int from deleted) as deleted
  from batch order by user_id desc, client_id desc limit 1`,
);

const FIRST = '00000000-0000-0000-0000-000000000000';

/** Where the walks along grants and consents have got to; a process keeps it between calls. */
export interface PruneCursor {
  grant: string;
  consent: [userId: string, clientId: string];
}

/** What one batch has done. */
export interface PrunedBatch {
  /** Rows deleted, by table. */
  deleted: Record<string, number>;
  /** The live ones among the grants that it looked at. */
  liveGrants: number;
}

export const startOfPruning = (): PruneCursor => ({ grant: FIRST, consent: [FIRST, ''] });

/**
 * Prunes one batch of every table, unless another process is at it.
 * @returns whether there is more to do at once, where to go on, and what was done, unless another process was at it
 */
export async function pruneBatch(
  database: Database,
  before: PruneBefore,
  cursor: PruneCursor,
): Promise<{ more: boolean; cursor: PruneCursor; pruned?: PrunedBatch }> {
  return database.transaction(async (transaction) => {
    const [lock] = await transaction.query<{ locked: boolean }>(TRY_LOCK, [LOCK]);
    if (!lock?.locked) return { more: false, cursor };
    let more = false;
    const deleted: PrunedBatch['deleted'] = {};
    for (const [table, prune] of PRUNE_BY_TIME) {
      const gone = (await transaction.query(prune, [before.now])).length;
      deleted[table] = gone;
      if (gone === BATCH) more = true;
    }
    const grants = await sweepGrants(transaction, before, cursor.grant);
    const consents = await sweepConsents(transaction, cursor.consent);
    more ||= grants.last !== FIRST || consents.last[0] !== FIRST;
    Object.assign(deleted, { grants: grants.deleted, consents: consents.deleted });
    return {
      more,
      cursor: { grant: grants.last, consent: consents.last },
      pruned: { deleted, liveGrants: grants.live },
    };
  });
}

interface GrantSweep {
  last: string;
  live: number;
  deleted: number;
}

async function sweepGrants(transaction: Queryable, before: PruneBefore, from: string): Promise<GrantSweep> {
  const [row] = await transaction.query<GrantSweep>(SWEEP_GRANTS, [
    from,
    before.grantCreated,
    before.codeIssued,
    before.grantUsed,
  ]);
  return row ?? { last: FIRST, live: 0, deleted: 0 };
}

async function sweepConsents(
  transaction: Queryable,
  from: PruneCursor['consent'],
): Promise<{ last: PruneCursor['consent']; deleted: number }> {
  const [row] = await transaction.query<{ userId: string; clientId: string; deleted: number }>(
    SWEEP_CONSENTS,
    from,
  );
  return row === undefined
    ? { last: [FIRST, ''], deleted: 0 }
    : { last: [row.userId, row.clientId], deleted: row.deleted };
}
