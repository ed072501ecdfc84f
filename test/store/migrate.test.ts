// Migrations are applied only once, even by concurrent processes.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { migrate } from '../../src/store/migrate.ts';

const MIGRATE_MODULE = new URL('../../src/store/migrate.ts', import.meta.url).href;

let folder: string;
let name: string;
let url: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sesame-migrations-'));
  name = `empty_${process.pid}_${Math.random().toString(36).slice(2)}`;
  url = Object.assign(new URL(inject('maintenanceUrl')), { pathname: `/${name}` }).href;
  await query(inject('maintenanceUrl'), `create database ${name}`);
  await writeFile(join(folder, '0001_first.sql'), 'create table first (n int);');
  await writeFile(join(folder, '0002_second.sql'), 'insert into first values (1);');
});

afterEach(async () => {
  await query(inject('maintenanceUrl'), `drop database ${name} with (force)`);
  await rm(folder, { recursive: true });
});

test('migrate runs each .sql file once in order', async () => {
  await writeFile(join(folder, 'README.md'), 'not a migration');
  expect(await migrate(url, folder)).toEqual(['0001_first', '0002_second']);
  expect(await migrate(url, folder)).toEqual([]);
  await writeFile(join(folder, '0003_third.sql'), 'insert into first values (3);');
  expect(await migrate(url, folder)).toEqual(['0003_third']);
  expect(await query(url, 'select n from first order by n')).toEqual([{ n: 1 }, { n: 3 }]);
});

test('semicolons in comments, strings, names and function bodies don’t end a statement', async () => {
  await writeFile(
    join(folder, '0003_third.sql'),
    `-- A comment; it's the first.
create function next(n int) returns int language plpgsql as $body$
begin
  return n + 1; -- $1; isn't the end
end;
$body$;
insert into first values (next(2)); insert into first select length('a;''b'); -- a comment;
/* this; isn't
   the end; */
insert into first select "a;b" from (values (5)) as x ("a;b");
comment on table first is '-- not; a comment'
-- the end; /* of the file */`,
  );
  await migrate(url, folder);
  expect(await query(url, 'select n from first order by n')).toEqual([
    { n: 1 },
    { n: 3 },
    { n: 4 },
    { n: 5 },
  ]);
  expect(await query(url, "select obj_description('first'::regclass) as text")).toEqual([
    { text: '-- not; a comment' },
  ]);
});

test('a failed migration rolls back all pending migrations', async () => {
  await writeFile(join(folder, '0003_third.sql'), 'insert into nowhere values (3);');
  await expect(migrate(url, folder)).rejects.toThrow(/nowhere/);
  expect(await query(url, "select to_regclass('first') as found")).toEqual([{ found: null }]);
});

test('no migration is applied out of order', async () => {
  await migrate(url, folder);
  await writeFile(join(folder, '0001_later.sql'), 'create table later (n int);');
  await writeFile(join(folder, '0003_third.sql'), 'insert into first values (3);');
  await expect(migrate(url, folder)).rejects.toThrow('0001_later');
  expect(await query(url, "select to_regclass('later') as found, n from first")).toEqual([
    { found: null, n: 1 },
  ]);
});

test('a database from a newer version is not changed', async () => {
  await migrate(url, folder);
  await rm(join(folder, '0002_second.sql'));
  expect(await migrate(url, folder)).toEqual([]);
});

test('two concurrent processes apply each migration only once', async () => {
  const script = `
    import { migrate } from '${MIGRATE_MODULE}';
    console.log(JSON.stringify(await migrate(process.argv[1], process.argv[2])));`;
  const runMigrations = () =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, url, folder]);
  const applied = (await Promise.all([runMigrations(), runMigrations()])).map(
    ({ stdout }) => JSON.parse(stdout) as string[],
  );
  expect(applied.flat().sort()).toEqual(['0001_first', '0002_second']);
  expect(await query(url, 'select n from first')).toEqual([{ n: 1 }]);
});

async function query(databaseUrl: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
