// The people of the benchmark, written into the tables by the thousand, and what one row of each table takes.
import pg from 'pg';
import { newAccountSecret } from '../src/oauth/secrets.ts';

/** One who has signed in and agreed to share. All of it follows from the id. */
export interface Person {
  userId: string;
  email: string;
  /** What the session cookie holds. */
  sessionId: string;
  sid: string;
}

/** What the ids of all sessions have after the account. */
const SESSION_BITS = Buffer.alloc(32);

export const personOf = (userId: string): Person => ({
  userId,
  email: `${userId}@example.com`,
  sessionId: newAccountSecret(userId, SESSION_BITS),
  sid: userId,
});

/** Access tokens of filled grants are as long as others, but unsigned: the service reads their subject and looks them up. */
const FILLER = 'x'.repeat(200);
export const filledAccessToken = ({ grantId, userId }: FilledGrant): string =>
  `x.${Buffer.from(`{"sub":"${userId}","filler":"${FILLER}"}`).toString('base64url')}.${grantId}${FILLER}`;

/** How many are drawn at most: each grant is used once. */
const DRAWN = 1_000_000;

export interface FilledGrant {
  grantId: string;
  userId: string;
}

interface Population {
  people: number;
  /** Live grants, spread evenly over the people, each with an access token as a renewal within the hour left it. */
  grants: number;
  clientId: string;
  /** The Argon2id string of the password that all of them have. */
  passwordHash: string;
  scopes: string[];
}

/**
 * Fills the tables: people with a session, a consent, a line of the audit log each and two of the ledger, for id_token
 * and userinfo; and grants.
 * @returns up to a million of both, in random order
 */
export async function populate(
  databaseUrl: string,
  { people, grants, clientId, passwordHash, scopes }: Population,
): Promise<{ people: Person[]; grants: FilledGrant[] }> {
  const connection = new pg.Client({ connectionString: databaseUrl });
  await connection.connect();
  const made = { people: [] as Person[], grants: [] as FilledGrant[] };
  await connection.query(
    'create temporary table person as select gen_random_uuid() as id from generate_series(1, $1::int)',
    [people],
  );
  await connection.query(
    `with claimed as (insert into emails (email_key, user_id) select id || '@example.com', id from person)
    insert into users (id, email, email_key, name, email_verified, password_hash, operator, profile_updated_at, created_at)
    select id, id || '@example.com', id || '@example.com', 'Ada Lovelace', true, $1, false, now(), now() from person`,
    [passwordHash],
  );
  await connection.query(
    `insert into sessions (id_hash, sid, user_id, user_epoch, started_at, auth_time, expires_at, address, user_agent)
    select '\\x01'::bytea || sha256(translate(encode(uuid_send(id) || $1::bytea, 'base64'), '+/', '-_')::bytea), id, id, 0, now(), now(), now() + interval '14 days', '127.0.0.1', $2
    from person`,
    [SESSION_BITS, 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  );
  await connection.query(
    'insert into consents (user_id, client_id, scopes, granted_at) select id, $1, $2, now() from person',
    [clientId, scopes],
  );
  await connection.query(
    `insert into disclosures (user_id, client_id, fields, application_name, first_at, last_at, times)
    select id, $1, fields, 'Bench', now(), now(), 1 from person, unnest($2::text[]) as fields`,
    [clientId, ['sub auth_time', 'sub name avatar updated_at email email_verified']],
  );
  await connection.query(
    `insert into events (at, kind, actor_id, user_id, address, detail)
    select now(), 'signed_in', id, id, '192.0.2.1', '{}' from person`,
  );
  const drawn = await connection.query<{ id: string }>('select id from person order by random() limit $1', [
    DRAWN,
  ]);
  made.people = drawn.rows.map(({ id }) => personOf(id));
  if (grants > 0) {
    await connection.query(
      `with numbered as materialized (
        select gen_random_uuid() as id, n from generate_series(1, $1::int) n
      ),
      person as materialized (select id, row_number() over () as n from person),
      made as (
        insert into grants (id, client_id, user_id, epoch, generation, advanced_by, created_at, advanced_at, sid)
        select g.id, $2, p.id, 0, 1, '\\x02'::bytea || sha256(('x.' || payload.encoded || '.' || g.id || $3)::bytea), now(), now(), p.id
        from numbered g join person p on p.n = 1 + g.n % $4::int,
          lateral (select translate(encode(('{"sub":"' || p.id || '","filler":"' || $3 || '"}')::bytea, 'base64'),
            E'+/=\\n', '-_') as encoded) payload
        returning user_id, id, advanced_by
      )
      insert into access_tokens (user_id, hash, grant_id, scope, expires_at)
      select user_id, advanced_by, id, $5, now() + interval '1 day' from made`,
      [grants, clientId, FILLER, people, scopes.join(' ')],
    );
    made.grants = (
      await connection.query<FilledGrant>(
        'select id as "grantId", user_id as "userId" from grants order by random() limit $1',
        [DRAWN],
      )
    ).rows;
  }
  for (const table of TABLES) await connection.query(`vacuum analyze ${table}`);
  await connection.query('checkpoint'); // what was filled in is not written out while something is measured
  await connection.end();
  return made;
}

const TABLES = [
  'users',
  'emails',
  'sessions',
  'consents',
  'disclosures',
  'events',
  'grants',
  'access_tokens',
];

/** What one row takes on disk, in bytes. */
export interface RowSize {
  table: string;
  heap: number;
  indexes: number;
}

/** The size of a row in each table that was filled, with its share of the indexes. */
export async function rowSizes(databaseUrl: string): Promise<RowSize[]> {
  const connection = new pg.Client({ connectionString: databaseUrl });
  await connection.connect();
  const sizes: RowSize[] = [];
  for (const table of TABLES) {
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
