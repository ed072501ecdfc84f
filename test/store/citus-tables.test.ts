// Every table in the schema can be distributed on Citus as declared.
import { afterAll, expect, test } from 'vitest';
import { TABLE_DISTRIBUTION } from '../../src/store/citus-tables.ts';
import { openTestDatabase, sql } from '../support/store-fixtures.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

const getDistributionColumn = (table: string): string | undefined => {
  const distribution = TABLE_DISTRIBUTION[table];
  return distribution === undefined || distribution.group === 'reference' ? undefined : distribution.column;
};

test('every table in the schema has a declared distribution', async () => {
  const tables = await sql(
    database,
    `select relname::text as "table" from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  expect(Object.keys(TABLE_DISTRIBUTION).sort()).toEqual(tables.map(({ table }) => table).sort());
});

test('every distribution column is NOT NULL', async () => {
  const columns = (await sql(
    database,
    `select table_name::text as "table", column_name::text as "column", data_type::text as type, is_nullable::text as nullable
    from information_schema.columns where table_schema = 'public'`,
  )) as { table: string; column: string; type: string; nullable: string }[];
  const violations = Object.keys(TABLE_DISTRIBUTION).filter((table) => {
    if (getDistributionColumn(table) === undefined) return false;
    const found = columns.find(
      (column) => column.table === table && column.column === getDistributionColumn(table),
    );
    if (found?.nullable !== 'NO') return true;
    return TABLE_DISTRIBUTION[table]?.group === 'account' && found.type !== 'uuid';
  });
  expect(violations).toEqual([]);
});

test('a table’s primary key and unique constraints contain its distribution column', async () => {
  const keys = (await sql(
    database,
    `select t.relname::text as "table", n.relname::text as key,
      array(select attname::text from pg_attribute a where a.attrelid = t.oid and a.attnum = any (i.indkey)) as columns
    from pg_index i join pg_class t on t.oid = i.indrelid join pg_class n on n.oid = i.indexrelid
    where i.indisunique and t.relnamespace = 'public'::regnamespace`,
  )) as { table: string; key: string; columns: string[] }[];
  const violations = keys.filter(({ table, columns }) => {
    const column = getDistributionColumn(table);
    return column !== undefined && !columns.includes(column);
  });
  expect(violations).toEqual([]);
});

test('every table has a replica identity', async () => {
  const tables = await sql(
    database,
    `select c.relname::text as "table" from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relreplident <> 'f'
      and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
  );
  expect(tables).toEqual([]);
});

test('foreign keys point only to reference tables or the users table', async () => {
  const keys = (await sql(
    database,
    `select t.relname::text as "table", r.relname::text as target,
      array(select attname::text from pg_attribute a where a.attrelid = t.oid and a.attnum = any (k.conkey)) as columns
    from pg_constraint k join pg_class t on t.oid = k.conrelid join pg_class r on r.oid = k.confrelid
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace`,
  )) as { table: string; target: string; columns: string[] }[];
  const toUsers = keys.filter(({ target }) => target === 'users');
  const violations = keys.filter(({ table, target, columns }) => {
    if (target !== 'users') return TABLE_DISTRIBUTION[target]?.group !== 'reference';
    const isDistributedByAccount =
      TABLE_DISTRIBUTION[table]?.group === 'account' && columns.join() === getDistributionColumn(table);
    return !isDistributedByAccount || keys.some((other) => other.table === table && other.target !== 'users');
  });
  expect(violations).toEqual([]);
  expect(toUsers.length).toBeGreaterThan(0);
});

test('identity columns have the type bigint', async () => {
  const identities = await sql(
    database,
    `select table_name::text as "table", data_type::text as type from information_schema.columns
    where table_schema = 'public' and (is_identity = 'YES' or column_default like 'nextval%')`,
  );
  expect(identities.filter(({ type }) => type !== 'bigint')).toEqual([]);
});
