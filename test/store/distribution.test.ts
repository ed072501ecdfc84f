// Every table of the schema can be distributed on Citus as `store/distribution.ts` has it.
import { afterAll, expect, test } from 'vitest';
import { DISTRIBUTION } from '../../src/store/distribution.ts';
import { openTestDatabase, sql } from '../support/populate.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

const columnOf = (table: string): string | undefined => {
  const distribution = DISTRIBUTION[table];
  return distribution === undefined || distribution.group === 'reference' ? undefined : distribution.column;
};

test('every table has its distribution, and each of these is a table', async () => {
  const tables = await sql(
    database,
    `select relname::text as "table" from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  expect(Object.keys(DISTRIBUTION).sort()).toEqual(tables.map(({ table }) => table).sort());
});

test('every distribution column exists and is never null; those of accounts are of one type', async () => {
  const columns = (await sql(
    database,
    `select table_name::text as "table", column_name::text as "column", data_type::text as type, is_nullable::text as nullable
    from information_schema.columns where table_schema = 'public'`,
  )) as { table: string; column: string; type: string; nullable: string }[];
  const wrong = Object.keys(DISTRIBUTION).filter((table) => {
    if (columnOf(table) === undefined) return false;
    const found = columns.find((one) => one.table === table && one.column === columnOf(table));
    if (found?.nullable !== 'NO') return true;
    return DISTRIBUTION[table]?.group === 'account' && found.type !== 'uuid';
  });
  expect(wrong).toEqual([]);
});

test('primary keys and unique constraints contain the distribution column', async () => {
  const keys = (await sql(
    database,
    `select t.relname::text as "table", n.relname::text as key,
      array(select attname::text from pg_attribute a where a.attrelid = t.oid and a.attnum = any (i.indkey)) as columns
    from pg_index i join pg_class t on t.oid = i.indrelid join pg_class n on n.oid = i.indexrelid
    where i.indisunique and t.relnamespace = 'public'::regnamespace`,
  )) as { table: string; key: string; columns: string[] }[];
  const wrong = keys.filter(({ table, columns }) => {
    const column = columnOf(table);
    return column !== undefined && !columns.includes(column);
  });
  expect(wrong).toEqual([]);
});

test('logical replication, which moves rows between nodes, can identify the rows of every table', async () => {
  const without = await sql(
    database,
    `select c.relname::text as "table" from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relreplident <> 'f'
      and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
  );
  expect(without).toEqual([]);
});

test('foreign keys lead to a copy on every node, or from an account’s table to users; no table has both', async () => {
  const keys = (await sql(
    database,
    `select t.relname::text as "table", r.relname::text as target,
      array(select attname::text from pg_attribute a where a.attrelid = t.oid and a.attnum = any (k.conkey)) as columns
    from pg_constraint k join pg_class t on t.oid = k.conrelid join pg_class r on r.oid = k.confrelid
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace`,
  )) as { table: string; target: string; columns: string[] }[];
  const toUsers = keys.filter(({ target }) => target === 'users');
  const wrong = keys.filter(({ table, target, columns }) => {
    if (target !== 'users') return DISTRIBUTION[target]?.group !== 'reference';
    const isAccounts = DISTRIBUTION[table]?.group === 'account' && columns.join() === columnOf(table);
    return !isAccounts || keys.some((other) => other.table === table && other.target !== 'users');
  });
  expect(wrong).toEqual([]);
  expect(toUsers.length).toBeGreaterThan(0);
});

test('numbers of rows are bigint, as nodes that give them out need it', async () => {
  const identities = await sql(
    database,
    `select table_name::text as "table", data_type::text as type from information_schema.columns
    where table_schema = 'public' and (is_identity = 'YES' or column_default like 'nextval%')`,
  );
  expect(identities.filter(({ type }) => type !== 'bigint')).toEqual([]);
});
