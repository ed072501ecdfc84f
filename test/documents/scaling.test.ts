// docs/scaling.md keeps up with the schema: a distributed PostgreSQL needs a column named for every table.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { openTestDatabase, sql } from '../support/populate.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openTestDatabase());
});
afterAll(() => close());

test('every table has its distribution column there, and no other does', async () => {
  const text = await readFile('docs/scaling.md', 'utf8');
  const [, section = ''] = /### Distribution column of every table\n(.*?)\n## /s.exec(text) ?? [];
  const cells = section
    .split('\n')
    .flatMap((line) => (line.startsWith('| `') ? [line.split('|')[1] ?? ''] : []));
  const named = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const tables = await sql(
    database,
    `select table_name as name from information_schema.tables
    where table_schema = 'public' and table_name <> 'schema_migrations'`,
  );
  expect(tables.length).toBeGreaterThan(15);
  expect(named.toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
});
