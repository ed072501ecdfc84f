// Statement batching: each caller gets the rows or the error of its own statement.
import { afterAll, describe, expect, test } from 'vitest';
import { type Database, isUnavailable, openDatabase } from '../../src/store/database.ts';
import { statement } from '../../src/store/statement.ts';
import { openTestDatabase, sql } from '../support/store-fixtures.ts';
import { waitUntil } from '../support/wait-until.ts';

const { url, database, close } = await openTestDatabase();
afterAll(() => close());

let statements = 0;
/** Defines a statement that no connection has prepared. */
const newStatement = (text: string) => statement(`new_${++statements}`, text);
const VALID_UUID = '11111111-2222-3333-4444-555555555555';

describe.each(['hotRead', 'hotWrite'] as const)('the database method %s', (hot) => {
  test('gives each concurrent statement its own rows', async () => {
    const ECHO = newStatement('select $1::int as n');
    const rows = await Promise.all(Array.from({ length: 100 }, (_, n) => database[hot](ECHO, [n])));
    expect(rows).toEqual(Array.from({ length: 100 }, (_, n) => [{ n }]));
  });

  test('rejects only the failed statement of a batch', async () => {
    for (const text of ['select $1::uuid as id', 'select $1::text::uuid as id']) {
      const CAST = newStatement(text);
      const results = await Promise.allSettled(
        Array.from({ length: 60 }, (_, n) => database[hot](CAST, [n % 3 === 0 ? 'invalid' : VALID_UUID])),
      );
      for (const [n, result] of results.entries())
        if (n % 3 === 0) expect(result).toMatchObject({ status: 'rejected', reason: { code: '22P02' } });
        else expect(result).toEqual({ status: 'fulfilled', value: [{ id: VALID_UUID }] });
    }
  });

  test('rejects only the statement that contains a NUL character', async () => {
    const ECHO = newStatement('select $1::text as text');
    const [invalid, valid] = await Promise.allSettled([
      database[hot](ECHO, ['\u0000']),
      database[hot](ECHO, ['x']),
    ]);
    expect(invalid).toMatchObject({ status: 'rejected', reason: { code: '22021' } });
    expect(isUnavailable((invalid as PromiseRejectedResult).reason)).toBe(false);
    expect(valid).toEqual({ status: 'fulfilled', value: [{ text: 'x' }] });
  });

  test('prepares a statement on the next use if preparation failed', async () => {
    const table = `later_${hot}`.toLowerCase();
    const LATER = newStatement(`select count(*)::int as n from ${table}`);
    const runAll = () => Promise.allSettled(Array.from({ length: 20 }, () => database[hot](LATER, [])));
    for (const result of await runAll()) expect(result.status).toBe('rejected');
    await sql(database, `create table ${table} (n int)`);
    for (const result of await runAll()) expect(result).toEqual({ status: 'fulfilled', value: [{ n: 0 }] });
  });

  test.each([true, false])(
    'returns values of all types unchanged (prepared statements: %s)',
    async (prepare) => {
      const separateDatabase = openDatabase(url, 1, () => {}, { prepare });
      const values = {
        text: 'é “quotes” \'"\\ \u{1f511}'.repeat(5000),
        nothing: null,
        number: -12,
        yes: true,
        time: new Date('2031-05-06T07:08:09.123Z'),
        bytes: Buffer.from([0, 1, 0xff]),
        list: ['a,b', '{c}', '"d"', '\\e', 'null', '', ' é '],
        empty: [] as string[],
        digests: [Buffer.from([0, 0x5c, 0xff]), Buffer.alloc(0)],
      };
      const ECHO = newStatement(
        `select $1::text as text, $2::text as nothing, $3::int as number, $4::boolean as yes, $5::timestamptz as time,
        $6::bytea as bytes, $7::text[] as list, $8::text[] as empty, $9::bytea[] as digests`,
      );
      const runEcho = () => separateDatabase[hot](ECHO, Object.values(values));
      expect(await Promise.all([runEcho(), runEcho()])).toEqual([[values], [values]]);
      expect(await runEcho()).toEqual([values]);
      await separateDatabase.close();
    },
  );

  test('does not delay later statements behind a slow batch', async () => {
    const table = `open_${hot}`.toLowerCase();
    await sql(database, `create table ${table} (n int)`);
    await sql(
      database,
      `create function wait_for_${table}() returns text language plpgsql as $$ begin
        while not exists (select from ${table}) loop perform pg_sleep(0.01); end loop; return 'slow';
      end $$`,
    );
    const SLOW = newStatement(`select wait_for_${table}() as word`);
    const ECHO = newStatement('select $1::int as n');
    const slow = database[hot](SLOW, []);
    const running = `select from pg_stat_activity where state = 'active' and query like 'select wait_for_${table}%'`;
    await waitUntil('the slow statement to run', async () => (await sql(database, running)).length === 1);
    expect(await Promise.all([1, 2].map((n) => database[hot](ECHO, [n])))).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    await sql(database, `insert into ${table} values (1)`);
    expect(await slow).toEqual([{ word: 'slow' }]);
  });

  test('completes pending statements before close() returns', async () => {
    const separateDatabase = openDatabase(url, 1);
    const ECHO = newStatement('select $1::int as n');
    const pending = Promise.all([1, 2].map((n) => separateDatabase[hot](ECHO, [n])));
    await separateDatabase.close();
    expect(await pending).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    await expect(separateDatabase[hot](ECHO, [3])).rejects.toThrow('Connection closed');
  });
});

describe('concurrent statements', () => {
  const XACT = statement('xact', 'select pg_current_xact_id()::text as id');
  const getTwoTransactionIds = async () => {
    const rows = await Promise.all([XACT, XACT].map((xact) => database.hotWrite<{ id: string }>(xact, [])));
    return rows.map(([row]) => row?.id);
  };

  test('share a transaction', async () => {
    const [first, second] = await getTwoTransactionIds();
    expect(second).toBe(first);
    const [third, fourth] = await getTwoTransactionIds();
    expect(fourth).toBe(third);
    expect(third).not.toBe(first);
  });

  test('are executed only once even if a statement in the batch fails', async () => {
    await sql(database, 'create table inserted (n int primary key, xact text)');
    const INSERT = newStatement(
      'insert into inserted values ($1::int / $2::int, pg_current_xact_id()::text)',
    );
    const results = await Promise.allSettled(
      [4, 5, 0, 6, 7].map((n) => database.hotWrite(INSERT, [n, n && 1])),
    );
    expect(results[2]).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    const rows = await sql(database, 'select n, xact from inserted order by n');
    expect(rows.map(({ n }) => n)).toEqual([4, 5, 6, 7]);
    expect(new Set(rows.map(({ xact }) => xact)).size).toBe(4);
  });

  test('fail if an earlier identical statement hits a lock timeout', async () => {
    await sql(database, 'create table rows as select n from generate_series(1, 4) n');
    const LOCKED = newStatement('update rows set n = n where n = $1::int returning n');
    const FREE = newStatement('update rows set n = n where n = $1::int returning n');
    await database.transaction(async (holder) => {
      await holder.query(LOCKED, [1]);
      const batch: [typeof FREE, number][] = [
        [FREE, 2],
        [LOCKED, 3],
        [LOCKED, 1],
        [LOCKED, 4],
        [FREE, 2],
      ];
      const results = await Promise.allSettled(
        batch.map(([statement, n]) => database.hotWrite(statement, [n])),
      );
      const lockTimeout = { status: 'rejected', reason: { code: '55P03' } };
      expect(results).toMatchObject([
        { status: 'fulfilled', value: [{ n: 2 }] },
        { status: 'fulfilled', value: [{ n: 3 }] },
        lockTimeout,
        lockTimeout,
        { status: 'fulfilled', value: [{ n: 2 }] },
      ]);
    });
  });

  test('succeed even if the batches of two processes deadlock', async () => {
    await sql(database, 'create table crossed as select n, 0 as count from generate_series(1, 2) n');
    const COUNT = newStatement(
      'update crossed set count = count + 1 where n = $1::int returning pg_sleep(0.2)::text is null as done',
    );
    const otherProcess = openDatabase(url, 1);
    const updateInOrder = (process: Database, order: number[]) =>
      order.map((n) => process.hotWrite(COUNT, [n]));
    await Promise.all([...updateInOrder(database, [1, 2]), ...updateInOrder(otherProcess, [2, 1])]);
    expect(await sql(database, 'select n, count from crossed order by n')).toEqual([
      { n: 1, count: 2 },
      { n: 2, count: 2 },
    ]);
    await otherProcess.close();
  });
});

test('a prepared statement works after a migration changes its result type', async () => {
  await sql(database, 'create table changed as select 1 as n');
  const FIND = newStatement('select n from changed');
  for (const hot of ['hotRead', 'hotWrite'] as const)
    expect(await database[hot](FIND, [])).toEqual([{ n: 1 }]);
  await sql(database, 'alter table changed alter column n type text');
  for (const hot of ['hotRead', 'hotWrite'] as const)
    expect(await Promise.all(Array.from({ length: 5 }, () => database[hot](FIND, [])))).toEqual(
      Array(5).fill([{ n: '1' }]),
    );
});

test('deallocated prepared statements are prepared again', async () => {
  const separateDatabase = openDatabase(url, 1);
  const ONE = newStatement('select 1 as n');
  const DEALLOCATE = newStatement('deallocate all');
  await separateDatabase.hotRead(ONE, []);
  await separateDatabase.hotRead(DEALLOCATE, []);
  const rows = await Promise.all([separateDatabase.hotRead(ONE, []), separateDatabase.hotRead(ONE, [])]);
  expect(rows).toEqual([[{ n: 1 }], [{ n: 1 }]]);
  await separateDatabase.close();
});

test.each([[[null]], [[undefined]], [[new Date()]], [[['nested']]]])(
  'an array with an unsupported element type is rejected (%j)',
  async (list) => {
    await expect(database.hotRead(newStatement('select $1::text[] as list'), [list])).rejects.toThrow(
      TypeError,
    );
  },
);
