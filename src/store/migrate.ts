// Brings a database to the newest schema: the plain .sql files of /migrations, forward only, each run exactly once.
import { fileURLToPath } from 'node:url';
import { PG_MIGRATE_LOCK_ID, runner } from 'node-pg-migrate';
import pg from 'pg';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));

/**
 * Applies the migrations that the database does not have yet, all in one transaction. Processes that start at once wait
 * for each other; the later ones find nothing to do. A database that is ahead of this code is left as it is.
 *
 * @param databaseUrl connection string of a role that may create tables
 * @param log receives a line per step; nothing secret. Default: silence.
 * @param folder where the .sql files are; tests pass their own
 * @returns names of the migrations applied now, oldest first
 * @throws Error from PostgreSQL, or when a file was put before one that is already applied
 */
export async function migrate(
  databaseUrl: string,
  log: (line: string) => void = () => {},
  folder: string = MIGRATIONS,
): Promise<string[]> {
  // A connection of our own: the runner does not wait for the end of the one it makes itself.
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {}); // a lost connection makes the running statement fail, which says it already
  await client.connect();
  try {
    // The lock belongs to the transaction, not to the session as the runner's own would: a pooler in transaction mode
    // carries it, and nothing is left behind on a connection that others get afterwards. The runner's `begin` is then
    // one too many, which PostgreSQL lets pass, and its `commit` ends this one.
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
      logger: { info: log, warn: log, error: log },
    });
    if (applied.length === 0) await client.query('commit'); // the runner had nothing to commit
    return applied.map((migration) => migration.name);
  } finally {
    await client.end();
  }
}
