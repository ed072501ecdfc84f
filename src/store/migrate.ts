// Applies each SQL file in /migrations once. Migrations can't be reverted.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { DatabaseClient, requireSuitableDatabase } from './connection.ts';

const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));
const MIGRATION_LOCK = 7_235_881_402_113_911;

/**
 * Applies missing migrations in one transaction, oldest first. Does nothing if the database is newer than this code.
 * @param databaseUrl URL with a role that may create tables
 * @throws UnsuitableDatabaseError if the database must be reconfigured
 */
export async function migrate(databaseUrl: string, folder: string = MIGRATIONS_FOLDER): Promise<string[]> {
  const client = new DatabaseClient({ connectionString: databaseUrl });
  // This event is ignored because the running statement fails with the same error.
  client.on('error', () => {});
  await client.connect();
  try {
    await requireSuitableDatabase(client);
    if (await isUpToDate(client, folder)) return [];
    await client.query('begin');
    await client.query('set local search_path to public');
    await client.query('set local statement_timeout to 0');
    // Citus requires this setting for tables with foreign keys.
    await client.query("set local citus.multi_shard_modify_mode to 'sequential'");
    // Session-level locks don't work behind a transaction pooler.
    await client.query('select pg_advisory_xact_lock($1::bigint)', [MIGRATION_LOCK]);
    await client.query(
      'create table if not exists schema_migrations (name text primary key, run_on timestamptz not null)',
    );
    const missing = findMissingMigrations(await listAppliedMigrations(client), listMigrationNames(folder));
    for (const name of missing) {
      const text = readFileSync(join(folder, `${name}.sql`), 'utf8');
      // Citus rejects some statements in multi-statement queries.
      for (const statement of splitStatements(text)) await client.query(statement);
      await client.query('insert into schema_migrations (name, run_on) values ($1, now())', [name]);
    }
    await client.query('commit');
    return missing;
  } finally {
    await client.end();
  }
}

async function isUpToDate(client: pg.Client, folder: string): Promise<boolean> {
  const { rows: found } = await client.query(`select to_regclass('public.schema_migrations') as name`);
  if (found[0].name === null) return false;
  const applied = await listAppliedMigrations(client);
  return listMigrationNames(folder).every((name) => applied.includes(name));
}

async function listAppliedMigrations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from public.schema_migrations');
  return rows.map(({ name }) => name).sort();
}

const listMigrationNames = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .sort();

function findMissingMigrations(applied: readonly string[], files: readonly string[]): string[] {
  const missing = files.filter((name) => !applied.includes(name));
  const [firstMissing = '', lastApplied = ''] = [
    missing[0],
    applied.findLast((name) => files.includes(name)),
  ];
  if (missing.length > 0 && firstMissing < lastApplied)
    throw new Error(
      `migration ${firstMissing} precedes ${lastApplied}, which is already applied; rename it to sort after ${lastApplied}`,
    );
  return missing;
}

/** A semicolon in a comment, string, quoted name or dollar-quoted body doesn't end the statement. */
const STATEMENT_PATTERN = /(?:--.*|\/\*[\s\S]*?\*\/|'[^']*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|[^;])+/g;
const COMMENT_PATTERN = /--.*|\/\*[\s\S]*?\*\//g;

const splitStatements = (text: string): string[] =>
  (text.match(STATEMENT_PATTERN) ?? []).filter(
    (statement) => statement.replace(COMMENT_PATTERN, '').trim() !== '',
  );
