// Pruning: rows that can no longer matter are deleted in small batches, by one process at a time, and IP addresses are
// taken out of those that are kept longer.
import { type Database, type Queryable, statement } from './database.ts';

/** Limits before which a row is past use. */
export interface PruneBefore {
  /** What expires by itself: access tokens, counts of wrong passwords, what was sent by mail. */
  now: Date;
  /**
   * Codes issued before this can no longer be redeemed. A grant that ended sooner than that stays until then, for its
   * code is used up by its being there.
   */
  codeIssued: Date;
  /** Grants last used before this have expired by inactivity. */
  grantUsed: Date;
  /** Grants made before this have reached their absolute lifetime. */
  grantCreated: Date;
  /** Sessions that expired before this are no longer kept to be looked at. */
  sessionExpired: Date;
  /** The same for events of the audit log, and for refused requests with the expired secrets that they tell of. */
  eventHappened: Date;
  refusalHappened: Date;
  /** IP addresses seen before this are forgotten, wherever they stand. */
  addressSeen: Date;
}

const BATCH = 1000;
/** Rows that a walk looks at in one batch: most of them stay. */
const STRIDE = 5000;
/** Any constant will do; it names this work among the database's advisory locks. */
const LOCK = 0x5e5a4e;

const TRY_LOCK = statement('try_prune_lock', 'select pg_try_advisory_xact_lock($1::int) as locked');

const BY_TIME = [
  ['access_tokens', 'hash', 'expires_at', 'now'],
  ['sessions', 'id_hash', 'expires_at', 'sessionExpired'],
  ['sign_in_failures', 'key', 'empty_at', 'now'],
  // Kept as long as refusals: diagnostics say which secret it was that had expired.
  ['client_secrets', 'client_id, secret_hash', 'expires_at', 'refusalHappened'],
  ['used_forms', 'key', 'expires_at', 'now'],
  ['transfer_offers', 'client_id', 'expires_at', 'now'],
  ['one_time_tokens', 'hash', 'expires_at', 'now'],
  ['allowances', 'key', 'empty_at', 'now'],
  ['device_requests', 'device_code_hash', 'expires_at', 'now'],
  ['service_tokens', 'hash', 'expires_at', 'now'],
  ['client_assertions', 'client_id, jti_hash', 'expires_at', 'now'],
  ['logout_deliveries', 'id', 'created_at', 'refusalHappened'],
  ['events', 'id', 'at', 'eventHappened'],
  ['refusals', 'id', 'last_at', 'refusalHappened'],
] as const;

const PRUNE_BY_TIME = BY_TIME.map(([table, key, column, before]) => ({
  table,
  before,
  prune: statement(
    `prune_${table}`,
    `delete from ${table} where (${key}) in
      (select ${key} from ${table} where ${column} < $1::timestamptz limit ${BATCH}) returning 1 as one`,
  ),
}));

// A session's address is that of where it was last seen; one that is open for longer is seen again.
const FORGET_ADDRESSES = [
  ['events', 'id', 'at', 'address is not null', 'null'],
  ['sessions', 'id_hash', 'auth_time', `address <> '' and coalesce(last_seen_at, auth_time) < $1`, `''`],
  ['refusals', 'id', 'last_at', `address <> ''`, `''`],
].map(([table, key, column, held, nothing]) =>
  statement(
    `forget_addresses_of_${table}`,
    `update ${table} set address = ${nothing} where ${key} in
      (select ${key} from ${table} where ${column} < $1::timestamptz and ${held} limit ${BATCH}) returning 1 as one`,
  ),
);

// Grants have no index on time, which keeps their updates cheap (HOT): a walk along the primary key looks at each in
// its turn. A grant is dead when it was revoked, ran out, or its epochs have moved on; none of that can be undone, so
// what was read dead may be deleted.
const SWEEP_GRANTS = statement(
  'sweep_grants',
  `with batch as (
    select g.id, g.created_at < $3::timestamptz and (
      g.revoked_at is not null or g.created_at < $2::timestamptz or g.advanced_at < $4::timestamptz
      or not exists (
        select from users u, clients c, consents k
        where u.id = g.user_id and c.client_id = g.client_id and k.user_id = g.user_id
          and k.client_id = g.client_id and g.epoch = u.epoch + c.epoch + k.epoch)) as dead
    from grants g where g.id > $1::uuid order by g.id limit ${STRIDE}
  ),
  deleted as (
    delete from grants g using batch where g.id = batch.id and batch.dead returning 1
  )
  select id as last, (select count(*)::int from batch where not dead) as live,
    (select count(*)::int from deleted) as deleted, (select count(*)::int from batch) as looked
  from batch order by id desc limit 1`,
);

const SWEEP_CONSENTS = statement(
  'sweep_consents',
  `with batch as (
    select k.user_id, k.client_id from consents k
    where (k.user_id, k.client_id) > ($1::uuid, $2::text) order by k.user_id, k.client_id limit ${STRIDE}
  ),
  deleted as (
    delete from consents k using batch
    where k.user_id = batch.user_id and k.client_id = batch.client_id
      and not exists (select from clients c where c.client_id = k.client_id) returning 1
  )
  select user_id as "userId", client_id as "clientId", (select count(*)::int from deleted) as deleted, (select count(*)::int from batch) as looked
  from batch order by user_id desc, client_id desc limit 1`,
);

// A picture is saved in the transaction that puts it somewhere, so one that stands nowhere was taken away.
const SWEEP_PICTURES = statement(
  'sweep_pictures',
  `with batch as (
    select p.hash, not exists (select from clients c where c.logo = p.hash)
      and not exists (select from users u where u.picture_hash = p.hash) as dead
    from pictures p where p.hash > $1::text order by p.hash limit ${STRIDE}
  ),
  deleted as (
    delete from pictures p using batch
    where p.hash = batch.hash and batch.dead and p.used_at < $2::timestamptz returning 1
  )
  select hash as last, (select count(*)::int from deleted) as deleted,
    (select count(*)::int from batch) as looked
  from batch order by hash desc limit 1`,
);

const FIRST = '00000000-0000-0000-0000-000000000000';

/** Where the walks along grants, consents and pictures have got to; a process keeps it between calls. */
export interface PruneCursor {
  grant: string;
  consent: [userId: string, clientId: string];
  picture: string;
}

/** What one batch has done. */
export interface PrunedBatch {
  /** Rows deleted, by table. */
  deleted: Record<string, number>;
  /** The live ones among the grants that it looked at. */
  liveGrants: number;
}

export const startOfPruning = (): PruneCursor => ({ grant: FIRST, consent: [FIRST, ''], picture: '' });

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
    for (const one of PRUNE_BY_TIME) {
      const gone = (await transaction.query(one.prune, [before[one.before]])).length;
      deleted[one.table] = gone;
      if (gone === BATCH) more = true;
    }
    for (const forget of FORGET_ADDRESSES)
      if ((await transaction.query(forget, [before.addressSeen])).length === BATCH) more = true;
    const grants = await sweepGrants(transaction, before, cursor.grant);
    const consents = await sweepConsents(transaction, cursor.consent);
    const pictures = await sweepPictures(transaction, before, cursor.picture);
    more ||= grants.last !== FIRST || consents.last[0] !== FIRST || pictures.last !== '';
    Object.assign(deleted, {
      grants: grants.deleted,
      consents: consents.deleted,
      pictures: pictures.deleted,
    });
    return {
      more,
      cursor: { grant: grants.last, consent: consents.last, picture: pictures.last },
      pruned: { deleted, liveGrants: grants.live },
    };
  });
}

interface Sweep<Place> {
  /** Where it has got to; after the last row, back to the first. */
  last: Place;
  deleted: number;
}

async function sweepGrants(
  transaction: Queryable,
  before: PruneBefore,
  from: string,
): Promise<Sweep<string> & { live: number }> {
  const [row] = await transaction.query<Swept & { last: string; live: number }>(SWEEP_GRANTS, [
    from,
    before.grantCreated,
    before.codeIssued,
    before.grantUsed,
  ]);
  if (row === undefined) return { last: FIRST, live: 0, deleted: 0 };
  return { last: isAtEnd(row) ? FIRST : row.last, live: row.live, deleted: row.deleted };
}

async function sweepConsents(
  transaction: Queryable,
  from: PruneCursor['consent'],
): Promise<Sweep<PruneCursor['consent']>> {
  const [row] = await transaction.query<Swept & { userId: string; clientId: string }>(SWEEP_CONSENTS, from);
  if (row === undefined) return { last: [FIRST, ''], deleted: 0 };
  return { last: isAtEnd(row) ? [FIRST, ''] : [row.userId, row.clientId], deleted: row.deleted };
}

async function sweepPictures(
  transaction: Queryable,
  before: PruneBefore,
  from: string,
): Promise<Sweep<string>> {
  const [row] = await transaction.query<Swept & { last: string }>(SWEEP_PICTURES, [from, before.now]);
  if (row === undefined) return { last: '', deleted: 0 };
  return { last: isAtEnd(row) ? '' : row.last, deleted: row.deleted };
}

type Swept = { deleted: number; looked: number };

const isAtEnd = ({ looked }: Swept): boolean => looked < STRIDE;
