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

/** The rows of every table as JSON text, by table name. */
export async function databaseContent(databaseUrl: string): Promise<Record<string, string>> {
  return withDatabase(databaseUrl, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`,
    );
    const content: Record<string, string> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ content: string }>(
        `select coalesce(json_agg(t order by t::text), '[]')::text as content from "${name}" t`,
      );
      content[name] = rows[0]?.content ?? '';
    }
    return content;
  });
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
