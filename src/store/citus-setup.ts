// Distributes the tables over the nodes of a Citus cluster.

import { type Distribution, TABLE_DISTRIBUTION } from './citus-tables.ts';
import { UnsuitableDatabaseError } from './connection.ts';
import type { Database, Queryable } from './database.ts';

const DEFAULT_SHARDS = 32;

interface DistributionPlan {
  /** Must run in one transaction, in this order. */
  statements: string[];
  tables: { table: string; distribution: string; distributed: 'now' | 'before' }[];
  workers: number;
}

/** @throws UnsuitableDatabaseError if the database isn't a Citus coordinator */
export async function requireCoordinator(database: Queryable): Promise<void> {
  const extensions = await runCitusStatement(database, `select from pg_extension where extname = 'citus'`);
  if (extensions.length === 0)
    throw new UnsuitableDatabaseError(
      'The database has no Citus extension. Install Citus on every node. Then run `create extension citus` in this database on every node.',
    );
  const workers = await runCitusStatement(database, 'select from pg_dist_local_group where groupid <> 0');
  if (workers.length > 0)
    throw new UnsuitableDatabaseError(
      'This node is a Citus worker. Set DATABASE_URL to the URL of the coordinator.',
    );
}

/**
 * Distributes the remaining tables. Writes to these tables wait until the transaction ends.
 * @param shards number of shards per table. Must equal that of tables that are already distributed.
 */
export const distributeOnCitus = (database: Database, shards?: number): Promise<DistributionPlan> =>
  database.transaction(async (transaction) => {
    // Prevent concurrent distributions and migrations.
    await runCitusStatement(transaction, 'lock table schema_migrations in share row exclusive mode');
    const plan = await planDistribution(transaction, shards);
    for (const statement of plan.statements) await runCitusStatement(transaction, statement);
    return plan;
  });

export async function planDistribution(database: Queryable, shards?: number): Promise<DistributionPlan> {
  const found = await findTables(database);
  const currentShards = found.get('users')?.shards ?? undefined;
  if (shards !== undefined && currentShards !== undefined && shards !== currentShards)
    throw new UnsuitableDatabaseError(
      `The tables have ${currentShards} shards each. To change the number of shards, use the Citus function alter_distributed_table().`,
    );
  const planned = Object.entries(TABLE_DISTRIBUTION).flatMap(([table, distribution]) => {
    const { kind, column } = found.get(table) ?? {};
    if (kind === undefined) return [];
    const expected = describeDistribution(distribution);
    const actual =
      kind === 'hash' ? `by ${column}` : kind === 'reference' ? 'copied to every node' : undefined;
    if (actual !== undefined && actual !== expected)
      throw new UnsuitableDatabaseError(
        `The table ${table} has the distribution "${actual}" instead of "${expected}".`,
      );
    return [{ table, distribution, expected, isDone: actual !== undefined }];
  });
  const pending = planned.filter(({ isDone }) => !isDone);
  const foreignKeys = await findForeignKeys(
    database,
    pending.map(({ table }) => table),
  );
  const statements = [
    // Required for foreign keys between distributed and reference tables.
    `set local citus.multi_shard_modify_mode to 'sequential'`,
    // Copying a large table may exceed the timeout on the coordinator and the workers.
    `set local citus.propagate_set_commands to 'local'`,
    'set local statement_timeout to 0',
    // A table can't be distributed while an undistributed table references it.
    ...foreignKeys.map(({ drop }) => drop),
    ...pending.map(({ table, distribution }) =>
      buildDistributionCall(table, distribution, shards ?? currentShards ?? DEFAULT_SHARDS),
    ),
    ...pending.map(({ table }) => `select truncate_local_data_after_distributing_table('public.${table}')`),
    ...foreignKeys.map(({ add }) => add),
  ];
  return {
    statements: pending.length === 0 ? [] : statements,
    tables: planned.map(({ table, expected, isDone }) => ({
      table,
      distribution: expected,
      distributed: isDone ? 'before' : 'now',
    })),
    workers: await countWorkers(database),
  };
}

const describeDistribution = (distribution: Distribution): string =>
  distribution.group === 'reference' ? 'copied to every node' : `by ${distribution.column}`;

function buildDistributionCall(table: string, distribution: Distribution, shards: number): string {
  if (distribution.group === 'reference') return `select create_reference_table('public.${table}')`;
  const options =
    distribution.group === 'account' && table !== 'users'
      ? `colocate_with => 'public.users'`
      : `colocate_with => 'none', shard_count => ${shards}`;
  return `select create_distributed_table('public.${table}', '${distribution.column}', ${options})`;
}

interface FoundTable {
  kind: 'hash' | 'reference' | null;
  column: string | null;
  shards: number | null;
}

async function findTables(database: Queryable): Promise<Map<string, FoundTable>> {
  const rows = await runCitusStatement<FoundTable & { table: string }>(
    database,
    `select c.relname::text as "table",
      case when p.partmethod = 'h' then 'hash' when p.partmethod = 'n' and p.repmodel = 't' then 'reference' end as kind,
      column_to_column_name(p.logicalrelid, p.partkey) as "column",
      (select count(*)::integer from pg_dist_shard s where s.logicalrelid = c.oid and p.partmethod = 'h') as shards
    from pg_class c left join pg_dist_partition p on p.logicalrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`,
  );
  return new Map(rows.map(({ table, shards, ...row }) => [table, { ...row, shards: shards || null }]));
}

const findForeignKeys = (database: Queryable, tables: string[]) =>
  runCitusStatement<{ drop: string; add: string }>(
    database,
    `select format('alter table public.%I drop constraint %I', c.relname, k.conname) as "drop",
      format('alter table public.%I add constraint %I %s', c.relname, k.conname, pg_get_constraintdef(k.oid)) as "add"
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class r on r.oid = k.confrelid
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace and (c.relname = any ($1) or r.relname = any ($1))
    order by c.relname, k.conname`,
    [tables],
  );

async function countWorkers(database: Queryable): Promise<number> {
  const [row] = await runCitusStatement<{ workers: number }>(
    database,
    `select count(*)::integer as workers from pg_dist_node where groupid <> 0 and noderole = 'primary' and isactive`,
  );
  return row?.workers ?? 0;
}

/** Runs an unprepared statement, which may be invalid without Citus. */
const runCitusStatement = <Row extends object>(
  database: Queryable,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> => database.query({ name: '', text }, values) as Promise<Row[]>;
