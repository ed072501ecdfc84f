// Reads the whole database as text.
import pg from 'pg';

const BACKGROUND_TABLES = ['refusals', 'client_observations', 'outbox'];

/** Reads the tables that background jobs don't write to. */
export async function contentWithoutBackground(databaseUrl: string): Promise<Record<string, string>> {
  const content = Object.entries(await databaseContent(databaseUrl));
  return Object.fromEntries(content.filter(([table]) => !BACKGROUND_TABLES.includes(table)));
}

export const TABLES_KEPT_ON_DELETION: readonly string[] = [
  'access_tokens',
  'device_requests',
  'events',
  'grants',
  'logout_deliveries',
  'outbox',
  'used_tokens',
];

export async function listTablesContaining(
  databaseUrl: string,
  userId: string,
  except: readonly string[] = [],
): Promise<string[]> {
  const content = Object.entries(await databaseContent(databaseUrl));
  return content
    .filter(([table, rows]) => !except.includes(table) && rows.includes(userId))
    .map(([table]) => table);
}

/** Reads all tables in one snapshot. Returns rows as JSON text, by table name. */
export async function databaseContent(databaseUrl: string): Promise<Record<string, string>> {
  if (reader?.databaseUrl !== databaseUrl) {
    await reader?.pool.end();
    reader = await openReader(databaseUrl);
  }
  const { rows } = await reader.pool.query<{ name: string; content: string }>({
    name: 'content',
    text: reader.text,
  });
  return Object.fromEntries(rows.map(({ name, content }) => [name, content]));
}

/** Reused because a new connection must load the catalog of all tables. */
let reader: { databaseUrl: string; pool: pg.Pool; text: string } | undefined;

async function openReader(databaseUrl: string): Promise<NonNullable<typeof reader>> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  });
  pool.on('error', () => {}); // dropping the database closes the connection
  const { rows: tables } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`,
  );
  const readTable = ({ name }: { name: string }) =>
    `select '${name}' as name, coalesce(json_agg(t order by t::text), '[]')::text as content from "${name}" t`;
  return { databaseUrl, pool, text: tables.map(readTable).join(' union all ') };
}

export async function withDatabase<Result>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
