// Fills the benchmark's tables and measures their row sizes.
import pg from 'pg';
import { newAccountSecret } from '../src/oauth/secrets.ts';

export interface BenchUser {
  userId: string;
  email: string;
  sessionId: string;
  sid: string;
}

const SESSION_SECRET = Buffer.alloc(32);

export const deriveBenchUser = (userId: string): BenchUser => ({
  userId,
  email: `${userId}@example.com`,
  sessionId: newAccountSecret(userId, SESSION_SECRET),
  sid: userId,
});

/** Gives the unsigned tokens a realistic length. */
const TOKEN_FILLER = 'x'.repeat(200);
export const buildPrefilledAccessToken = ({ grantId, userId }: PrefilledGrant): string =>
  `x.${Buffer.from(`{"sub":"${userId}","filler":"${TOKEN_FILLER}"}`).toString('base64url')}.${grantId}${TOKEN_FILLER}`;

const MAX_SAMPLE_SIZE = 1_000_000;

export interface PrefilledGrant {
  grantId: string;
  userId: string;
}

interface FillOptions {
  users: number;
  grants: number;
  clientId: string;
  passwordHash: string;
  scopes: string[];
}

export async function fillDatabase(
  databaseUrl: string,
  { users, grants, clientId, passwordHash, scopes }: FillOptions,
): Promise<{ users: BenchUser[]; grants: PrefilledGrant[] }> {
  const connection = new pg.Client({ connectionString: databaseUrl });
  await connection.connect();
  const result = { users: [] as BenchUser[], grants: [] as PrefilledGrant[] };
  await connection.query(
    'create temporary table bench_users as select gen_random_uuid() as id from generate_series(1, $1::int)',
    [users],
  );
  await connection.query(
    `with claimed as (insert into emails (email_key, user_id) select id || '@example.com', id from bench_users)
    insert into users (id, email, email_key, name, email_verified, password_hash, is_admin, profile_updated_at, created_at)
    select id, id || '@example.com', id || '@example.com', 'Ada Lovelace', true, $1, false, now(), now() from bench_users`,
    [passwordHash],
  );
  await connection.query(
    `insert into sessions (id_hash, sid, user_id, user_epoch, started_at, auth_time, expires_at, ip, user_agent)
    select '\\x01'::bytea || sha256(translate(encode(uuid_send(id) || $1::bytea, 'base64'), '+/', '-_')::bytea), id, id, 0, now(), now(), now() + interval '14 days', '127.0.0.1', $2
    from bench_users`,
    [SESSION_SECRET, 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  );
  await connection.query(
    'insert into consents (user_id, client_id, scopes, granted_at) select id, $1, $2, now() from bench_users',
    [clientId, scopes],
  );
  await connection.query(
    `insert into disclosures (user_id, client_id, fields, client_name, first_at, last_at, times)
    select id, $1, fields, 'Bench', now(), now(), 1 from bench_users, unnest($2::text[]) as fields`,
    [clientId, ['sub auth_time', 'sub name avatar updated_at email email_verified']],
  );
  await connection.query(
    `insert into events (at, kind, actor_id, user_id, ip, detail)
    select now(), 'signed_in', id, id, '192.0.2.1', '{}' from bench_users`,
  );
  const sample = await connection.query<{ id: string }>(
    'select id from bench_users order by random() limit $1',
    [MAX_SAMPLE_SIZE],
  );
  result.users = sample.rows.map(({ id }) => deriveBenchUser(id));
  if (grants > 0) {
    await connection.query(
      `with numbered as materialized (
        select gen_random_uuid() as id, n from generate_series(1, $1::int) n
      ),
      numbered_users as materialized (select id, row_number() over () as n from bench_users),
      made as (
        insert into grants (id, client_id, user_id, epoch, rotation, rotated_by, created_at, rotated_at, sid)
        select g.id, $2, p.id, 0, 1, '\\x02'::bytea || sha256(('x.' || payload.encoded || '.' || g.id || $3)::bytea), now(), now(), p.id
        from numbered g join numbered_users p on p.n = 1 + g.n % $4::int,
          lateral (select translate(encode(('{"sub":"' || p.id || '","filler":"' || $3 || '"}')::bytea, 'base64'),
            E'+/=\\n', '-_') as encoded) payload
        returning user_id, id, rotated_by
      )
      insert into access_tokens (user_id, hash, grant_id, scope, expires_at)
      select user_id, rotated_by, id, $5, now() + interval '1 day' from made`,
      [grants, clientId, TOKEN_FILLER, users, scopes.join(' ')],
    );
    result.grants = (
      await connection.query<PrefilledGrant>(
        'select id as "grantId", user_id as "userId" from grants order by random() limit $1',
        [MAX_SAMPLE_SIZE],
      )
    ).rows;
  }
  for (const table of FILLED_TABLES) await connection.query(`vacuum analyze ${table}`);
  await connection.query('checkpoint'); // keeps the checkpoint out of the measurement
  await connection.end();
  return result;
}

const FILLED_TABLES = [
  'users',
  'emails',
  'sessions',
  'consents',
  'disclosures',
  'events',
  'grants',
  'access_tokens',
];

export interface RowSize {
  table: string;
  heap: number;
  indexes: number;
}

export async function measureRowSizes(databaseUrl: string): Promise<RowSize[]> {
  const connection = new pg.Client({ connectionString: databaseUrl });
  await connection.connect();
  const sizes: RowSize[] = [];
  for (const table of FILLED_TABLES) {
    const { rows } = await connection.query<{ heap: number | null; indexes: number }>(
      `select round(pg_table_size('${table}') / nullif(count(*), 0)::float8) as heap,
        round(pg_indexes_size('${table}') / nullif(count(*), 0)::float8) as indexes from ${table}`,
    );
    const { heap = null, indexes = 0 } = rows[0] ?? {};
    if (heap !== null) sizes.push({ table, heap, indexes });
  }
  await connection.end();
  return sizes;
}
