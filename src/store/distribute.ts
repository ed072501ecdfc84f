// Distributes the tables over the nodes of Citus.
import { UnsuitableDatabase } from './connection.ts';
import type { Database, Queryable } from './database.ts';
import { DISTRIBUTION, type Distribution } from './distribution.ts';

const DEFAULT_SHARDS = 32;

interface DistributionPlan {
  /** What there is to do, in order; to be run in one transaction. */
  statements: string[];
  tables: { table: string; distribution: string; distributed: 'now' | 'before' }[];
  workers: number;
}

/**
 * Checks that the database is the coordinator of a Citus cluster.
 * @throws UnsuitableDatabase
 */
export async function requireCoordinator(database: Queryable): Promise<void> {
  const extensions = await run(database, `select from pg_extension where extname = 'citus'`);
  if (extensions.length === 0)
    throw new UnsuitableDatabase(
      'This database has no Citus extension. Install Citus on every node and run `create extension citus` in this database on each of them.',
    );
  const workers = await run(database, 'select from pg_dist_local_group where groupid <> 0');
  if (workers.length > 0)
    throw new UnsuitableDatabase(
      "This node is a Citus worker, and tables are distributed by the coordinator. Set DATABASE_URL to the coordinator's.",
    );
}

/**
 * Distributes all tables that are not distributed yet, in one transaction. Tables keep their rows, and can't be written meanwhile.
 * @param shards of each distributed table; those that were distributed before keep theirs
 */
export const distribute = (database: Database, shards?: number): Promise<DistributionPlan> =>
  database.transaction(async (transaction) => {
    // No other process distributes or migrates at the same time.
    await run(transaction, 'lock table schema_migrations in share row exclusive mode');
    const plan = await planDistribution(transaction, shards);
    for (const statement of plan.statements) await run(transaction, statement);
    return plan;
  });

/** What `distribute` would do. */
export async function planDistribution(database: Queryable, shards?: number): Promise<DistributionPlan> {
  const found = await findTables(database);
  const present = found.get('users')?.shards ?? undefined;
  if (shards !== undefined && present !== undefined && shards !== present)
    throw new UnsuitableDatabase(
      `The tables have ${present} shards each. To change that, see alter_distributed_table in the documentation of Citus.`,
    );
  const planned = Object.entries(DISTRIBUTION).flatMap(([table, distribution]) => {
    const { kind, column } = found.get(table) ?? {};
    if (kind === undefined) return [];
    const wanted = wordsFor(distribution);
    const actual =
      kind === 'hash' ? `by ${column}` : kind === 'reference' ? 'copied to every node' : undefined;
    if (actual !== undefined && actual !== wanted)
      throw new UnsuitableDatabase(
        `The table ${table} is distributed already, but ${actual}: not ${wanted}.`,
      );
    return [{ table, distribution, wanted, isDone: actual !== undefined }];
  });
  const toDo = planned.filter(({ isDone }) => !isDone);
  const foreignKeys = await findForeignKeys(
    database,
    toDo.map(({ table }) => table),
  );
  const statements = [
    // Foreign keys between distributed and reference tables need one connection per node.
    `set local citus.multi_shard_modify_mode to 'sequential'`,
    // Copying large tables may take longer than the limit of the role, on the coordinator and on the workers.
    `set local citus.propagate_set_commands to 'local'`,
    'set local statement_timeout to 0',
    // A table can't be distributed while one that isn't refers to it.
    ...foreignKeys.map(({ drop }) => drop),
    ...toDo.map(({ table, distribution }) => call(table, distribution, shards ?? present ?? DEFAULT_SHARDS)),
    // Rows have been copied to the shards; this removes the originals, which nothing would ever delete.
    ...toDo.map(({ table }) => `select truncate_local_data_after_distributing_table('public.${table}')`),
    ...foreignKeys.map(({ add }) => add),
  ];
  return {
    statements: toDo.length === 0 ? [] : statements,
    tables: planned.map(({ table, wanted, isDone }) => ({
      table,
      distribution: wanted,
      distributed: isDone ? 'before' : 'now',
    })),
    workers: await countWorkers(database),
  };
}

const wordsFor = (distribution: Distribution): string =>
  distribution.group === 'reference' ? 'copied to every node' : `by ${distribution.column}`;

function call(table: string, distribution: Distribution, shards: number): string {
  if (distribution.group === 'reference') return `select create_reference_table('public.${table}')`;
  const options =
    distribution.group === 'account' && table !== 'users'
      ? `colocate_with => 'public.users'`
      : `colocate_with => 'none', shard_count => ${shards}`;
  return `select create_distributed_table('public.${table}', '${distribution.column}', ${options})`;
}

interface FoundTable {
  /** Null if it is not distributed. */
  kind: 'hash' | 'reference' | null;
  column: string | null;
  shards: number | null;
}

/** The tables of the schema by their names. */
async function findTables(database: Queryable): Promise<Map<string, FoundTable>> {
  const rows = await run<FoundTable & { table: string }>(
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

/** Foreign keys of these tables, and those that refer to them. */
const findForeignKeys = (database: Queryable, tables: string[]) =>
  run<{ drop: string; add: string }>(
    database,
    `select format('alter table public.%I drop constraint %I', c.relname, k.conname) as "drop",
      format('alter table public.%I add constraint %I %s', c.relname, k.conname, pg_get_constraintdef(k.oid)) as "add"
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class r on r.oid = k.confrelid
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace and (c.relname = any ($1) or r.relname = any ($1))
    order by c.relname, k.conname`,
    [tables],
  );

async function countWorkers(database: Queryable): Promise<number> {
  const [row] = await run<{ workers: number }>(
    database,
    `select count(*)::integer as workers from pg_dist_node where groupid <> 0 and noderole = 'primary' and isactive`,
  );
  return row?.workers ?? 0;
}

/** Not registered with the statements of the service: these run on Citus only. */
const run = <Row extends object>(database: Queryable, text: string, values: unknown[] = []): Promise<Row[]> =>
  database.query({ name: '', text }, values) as Promise<Row[]>;
