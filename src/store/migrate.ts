// Brings a database to the newest schema: the plain .sql files of /migrations, forward only, each run exactly once.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { Client, requireSuitableDatabase } from './connection.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));

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
    // Loaded where there is something to do: 10 MiB that a process would hold for ever.
    const { PG_MIGRATE_LOCK_ID, runner } = await import('node-pg-migrate');
    // The lock belongs to the transaction, not to the session, so that it works behind a pooler. PostgreSQL ignores the runner's
    // second `begin`, and its `commit` ends this transaction.
    await client.query('begin');
    await client.query('set local search_path to public');
    await client.query('set local statement_timeout to 0');
    await client.query('select pg_advisory_xact_lock($1::bigint)', [PG_MIGRATE_LOCK_ID]);
    const applied = await runner({
      dbClient: client,
      dir: folder,
      direction: 'up',
      migrationsTable: 'schema_migrations',
      migrationsSchema: 'public',
      singleTransaction: true,
      noLock: true,
      ignorePattern: String.raw`(?!.*\.sql$).*`,
      logger: { info: silent, warn: silent, error: silent },
    });
    if (applied.length === 0) await client.query('commit'); // the runner had nothing to commit
    return applied.map((migration) => migration.name);
  } finally {
    await client.end();
  }
}

const silent = () => {}; // who starts it says which were applied

/** Whether every migration of the folder has been applied, as nearly always. */
async function hasAll(client: pg.Client, folder: string): Promise<boolean> {
  const { rows: found } = await client.query(`select to_regclass('public.schema_migrations') as known`);
  if (found[0].known === null) return false;
  const { rows } = await client.query<{ name: string }>('select name from public.schema_migrations');
  const applied = new Set(rows.map(({ name }) => name));
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.every((file) => applied.has(file.slice(0, -'.sql'.length)));
}
