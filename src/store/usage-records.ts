// Records the use of sessions and secrets, and disclosed claims, in batches.
import type { Database, Queryable } from './database.ts';
import { execute, findAll, toColumnArrays } from './query.ts';
import type { SessionKey } from './sessions.ts';
import { statement } from './statement.ts';

export interface SessionUse extends SessionKey {
  at: Date;
  ip: string;
}

const WRITE_SESSION_USE = statement(
  'record_session_use',
  `update sessions set last_seen_at = $3::timestamptz, ip = $4::text
  where user_id = $1::uuid and id_hash = (
    select s.id_hash from sessions s
    where s.user_id = $1::uuid and s.id_hash = $2::bytea and (s.last_seen_at is null or s.last_seen_at < $3::timestamptz)
    for no key update skip locked
  )`,
);

/** Maximum number of session updates sent at once. Other statements can run between two groups of updates. */
const MAX_CONCURRENT_UPDATES = 50;

/** Skips sessions that another transaction has locked. */
export async function recordSessionUses(
  database: Pick<Database, 'hotWrite'>,
  uses: readonly SessionUse[],
): Promise<void> {
  for (let start = 0; start < uses.length; start += MAX_CONCURRENT_UPDATES)
    await Promise.all(
      uses
        .slice(start, start + MAX_CONCURRENT_UPDATES)
        .map(({ userId, idHash, at, ip }) => database.hotWrite(WRITE_SESSION_USE, [userId, idHash, at, ip])),
    );
}

export interface SecretUse {
  clientId: string;
  secretHash: Buffer;
  at: Date;
}

const USED_SECRETS_SQL = `unnest($1::text[], $2::bytea[], $3::timestamptz[]) as u (holder, secret_hash, at)
  where s.holder = u.holder and s.secret_hash = u.secret_hash and (s.last_used_at is null or s.last_used_at < u.at)`;
const toSecretUseValues = (uses: readonly SecretUse[]) =>
  toColumnArrays(uses, 'clientId', 'secretHash', 'at');
const lockUsedSecrets = execute<[uses: readonly SecretUse[]]>(
  'lock_used_secrets',
  `select s.holder from secrets s, ${USED_SECRETS_SQL} order by s.holder, s.secret_hash for no key update of s`,
  toSecretUseValues,
);
const updateUsedSecrets = execute<[uses: readonly SecretUse[]]>(
  'update_used_secrets',
  `update secrets s set last_used_at = u.at from ${USED_SECRETS_SQL}`,
  toSecretUseValues,
);

export const recordSecretUses = (database: Database, uses: readonly SecretUse[]): Promise<void> =>
  database.transaction(async (transaction) => {
    await lockUsedSecrets(transaction, uses);
    await updateUsedSecrets(transaction, uses);
  });

export interface Disclosure {
  userId: string;
  clientId: string;
  fields: string;
  first: Date;
  last: Date;
  times: number;
}

const findExistingUsers = findAll<{ id: string }, [userIds: string[]]>(
  'find_existing_users',
  'select u.id from users u where u.id = any($1::uuid[])',
);

const insertDisclosures = execute<[disclosures: readonly Disclosure[]]>(
  'record_disclosures',
  `insert into disclosures as d (user_id, client_id, fields, client_name, first_at, last_at, times)
  select g.user_id, g.client_id, g.fields, c.name, g.first_at, g.last_at, g.times
  from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::bigint[])
    as g (user_id, client_id, fields, first_at, last_at, times)
  join clients c on c.client_id = g.client_id
  order by g.user_id, g.client_id, g.fields
  on conflict (user_id, client_id, fields) do update
  set client_name = excluded.client_name, first_at = least(d.first_at, excluded.first_at),
    last_at = greatest(d.last_at, excluded.last_at), times = d.times + excluded.times`,
  (disclosures) => toColumnArrays(disclosures, 'userId', 'clientId', 'fields', 'first', 'last', 'times'),
);

/** Skips deleted accounts and clients. If an account is deleted concurrently, the batch fails and is retried. */
export async function recordDisclosures(
  database: Queryable,
  disclosures: readonly Disclosure[],
): Promise<void> {
  const userIds = [...new Set(disclosures.map(({ userId }) => userId))];
  const existing = new Set((await findExistingUsers(database, userIds)).map(({ id }) => id));
  await insertDisclosures(
    database,
    disclosures.filter(({ userId }) => existing.has(userId)),
  );
}

export interface DisclosureRow {
  clientId: string;
  clientName: string;
  fields: string[];
  firstAt: Date;
  lastAt: Date;
  times: number;
}

export const listDisclosures = findAll<DisclosureRow, [userId: string]>(
  'list_disclosures',
  `select d.client_id as "clientId", d.client_name as "clientName", string_to_array(d.fields, ' ') as fields,
    d.first_at as "firstAt", d.last_at as "lastAt", d.times::float8 as times
  from disclosures d where d.user_id = $1::uuid order by d.last_at desc, d.client_id, d.fields`,
);
