// Everything that a database holds, as text: to see that nothing was written, or that a secret is not in it.
import pg from 'pg';

/**
 * What is gathered while requests are answered and written a little later, whatever a test is doing by then: to be left
 * out where two moments are compared.
 */
const GATHERED = ['refusals', 'client_observations', 'mails'];

/** The same without what is written in the background: to see that a request changed nothing. */
export async function settledContent(databaseUrl: string): Promise<Record<string, string>> {
  const content = Object.entries(await databaseContent(databaseUrl));
  return Object.fromEntries(content.filter(([table]) => !GATHERED.includes(table)));
}

/** Tables whose rows outlive the account that they belong to. */
export const OUTLIVING: readonly string[] = [
  'access_tokens', // dead, and pruned when they expire
  'device_requests', // the same
  'events', // the audit log
  'grants', // dead, and pruned
  'logout_deliveries', // clients are still to be notified
  'mails', // an email about the deletion is still to be sent
  'spent_tokens', // pruned when they expire
];

/** The tables that name an account anywhere in a row. */
export async function tablesNaming(
  databaseUrl: string,
  userId: string,
  except: readonly string[] = [],
): Promise<string[]> {
  const content = Object.entries(await databaseContent(databaseUrl));
  return content
    .filter(([table, rows]) => !except.includes(table) && rows.includes(userId))
    .map(([table]) => table);
}

/** The rows of every table as JSON text, by table name; all of one moment. */
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

/**
 * Kept open for the database that was read last: a test compares what it holds before and after, again and again, and for
 * a new connection PostgreSQL reads up on forty tables first.
 */
let reader: { databaseUrl: string; pool: pg.Pool; text: string } | undefined;

async function openReader(databaseUrl: string): Promise<NonNullable<typeof reader>> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  });
  pool.on('error', () => {}); // its database is dropped in the end
  const { rows: tables } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`,
  );
  const contentOf = ({ name }: { name: string }) =>
    `select '${name}' as name, coalesce(json_agg(t order by t::text), '[]')::text as content from "${name}" t`;
  return { databaseUrl, pool, text: tables.map(contentOf).join(' union all ') };
}

/** Runs `work` on a connection of its own. */
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
