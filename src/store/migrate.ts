// Brings a database to the newest schema: the plain .sql files of /migrations, forward only, each run exactly once.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { Client, requireSuitableDatabase } from './connection.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
/** Key of the advisory lock of processes that migrate at the same time. */
const MIGRATION_LOCK = 7_235_881_402_113_911;

/**
 * Applies the missing migrations in one transaction. Other processes wait. A database ahead of this code stays as it is.
 * @param databaseUrl of a role that may create tables
 * @returns the names of the migrations applied now, oldest first
 * @throws UnsuitableDatabase; Error from PostgreSQL, or if a file was put before one that is already applied
 */
export async function migrate(databaseUrl: string, folder: string = MIGRATIONS): Promise<string[]> {
  // A connection of our own: the runner does not wait for the end of the one it makes itself.
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => {}); // a lost connection makes the running statement fail, which says it already
  await client.connect();
  try {
    await requireSuitableDatabase(client);
    if (await hasAll(client, folder)) return [];
    await client.query('begin');
    await client.query('set local search_path to public');
    await client.query('set local statement_timeout to 0');
    // On Citus, tables with foreign keys change in one transaction only over one connection per node. PostgreSQL ignores it.
    await client.query("set local citus.multi_shard_modify_mode to 'sequential'");
    // The lock belongs to the transaction, not to the session, so that it works behind a pooler.
    await client.query('select pg_advisory_xact_lock($1::bigint)', [MIGRATION_LOCK]);
    await client.query(
      'create table if not exists schema_migrations (name text primary key, run_on timestamptz not null)',
    );
    const missing = missingOf(await namesIn(client), filesIn(folder));
    for (const name of missing) {
      const text = readFileSync(join(folder, `${name}.sql`), 'utf8');
      // One by one, because Citus refuses some statements that are sent together with others.
      for (const statement of statementsOf(text)) await client.query(statement);
      await client.query('insert into schema_migrations (name, run_on) values ($1, now())', [name]);
    }
    await client.query('commit');
    return missing;
  } finally {
    await client.end();
  }
}

/** Whether every migration of the folder has been applied, as nearly always. */
async function hasAll(client: pg.Client, folder: string): Promise<boolean> {
  const { rows: found } = await client.query(`select to_regclass('public.schema_migrations') as known`);
  if (found[0].known === null) return false;
  const applied = await namesIn(client);
  return filesIn(folder).every((name) => applied.includes(name));
}

/** The names of the migrations that were applied, in their order. */
async function namesIn(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from public.schema_migrations');
  return rows.map(({ name }) => name).sort();
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .sort();

/** The files that were not applied. @throws Error if one was put before an applied one */
function missingOf(applied: readonly string[], files: readonly string[]): string[] {
  const missing = files.filter((name) => !applied.includes(name));
  const [first = '', last = ''] = [missing[0], applied.findLast((name) => files.includes(name))];
  if (missing.length > 0 && first < last)
    throw new Error(`the migration ${first} comes before ${last}, which was applied already`);
  return missing;
}

/** A statement with its comments: a semicolon in a comment, a string, a quoted name or a function's body doesn't end it. */
const STATEMENT = /(?:--.*|\/\*[\s\S]*?\*\/|'[^']*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|[^;])+/g;
const COMMENT = /--.*|\/\*[\s\S]*?\*\//g;

const statementsOf = (text: string): string[] =>
  (text.match(STATEMENT) ?? []).filter((statement) => statement.replace(COMMENT, '').trim() !== '');
