// Statement batching: many statements at once on a few connections, each with its own answer and its own failure.
import { afterAll, describe, expect, test } from 'vitest';
import { type Database, isUnavailable, openDatabase } from '../../src/store/database.ts';
import { statement } from '../../src/store/statement.ts';
import { openTestDatabase, sql } from '../support/populate.ts';
import { until } from '../support/until.ts';

const { url, database, close } = await openTestDatabase();
afterAll(() => close());

let statements = 0;
/** A statement under a name that no connection has prepared yet. */
const fresh = (text: string) => statement(`fresh_${++statements}`, text);
const GOOD = '11111111-2222-3333-4444-555555555555';

describe.each(['hotRead', 'hotWrite'] as const)('%s', (hot) => {
  test('a hundred statements at once: each gets its own answer', async () => {
    const ECHO = fresh('select $1::int as n');
    const rows = await Promise.all(Array.from({ length: 100 }, (_, n) => database[hot](ECHO, [n])));
    expect(rows).toEqual(Array.from({ length: 100 }, (_, n) => [{ n }]));
  });

  test('a statement that fails fails alone; those before and after it in its batch are answered', async () => {
    for (const text of ['select $1::uuid as id', 'select $1::text::uuid as id']) {
      const CAST = fresh(text);
      const results = await Promise.allSettled(
        Array.from({ length: 60 }, (_, n) => database[hot](CAST, [n % 3 === 0 ? 'none' : GOOD])),
      );
      for (const [n, result] of results.entries())
        if (n % 3 === 0) expect(result).toMatchObject({ status: 'rejected', reason: { code: '22P02' } });
        else expect(result).toEqual({ status: 'fulfilled', value: [{ id: GOOD }] });
    }
  });

  test('NUL in a text fails alone, as a wrong value and not as a lost database', async () => {
    const ECHO = fresh('select $1::text as text');
    const [bad, good] = await Promise.allSettled([
      database[hot](ECHO, ['\u0000']),
      database[hot](ECHO, ['x']),
    ]);
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: '22021' } });
    expect(isUnavailable((bad as PromiseRejectedResult).reason)).toBe(false);
    expect(good).toEqual({ status: 'fulfilled', value: [{ text: 'x' }] });
  });

  test('a statement that could not be prepared is prepared again at its next use', async () => {
    const table = `later_${hot}`.toLowerCase();
    const LATER = fresh(`select count(*)::int as n from ${table}`);
    const ask = () => Promise.allSettled(Array.from({ length: 20 }, () => database[hot](LATER, [])));
    for (const result of await ask()) expect(result.status).toBe('rejected');
    await sql(database, `create table ${table} (n int)`);
    for (const result of await ask()) expect(result).toEqual({ status: 'fulfilled', value: [{ n: 0 }] });
  });

  test.each([true, false])(
    'values of every kind arrive as they are, also unprepared: %s',
    async (prepare) => {
      const own = openDatabase(url, 1, () => {}, { prepare });
      const values = {
        text: 'é “quotes” \'"\\ \u{1f511}'.repeat(5000),
        none: null,
        number: -12,
        yes: true,
        time: new Date('2031-05-06T07:08:09.123Z'),
        bytes: Buffer.from([0, 1, 0xff]),
        list: ['a,b', '{c}', '"d"', '\\e', 'null', '', ' é '],
        empty: [] as string[],
        digests: [Buffer.from([0, 0x5c, 0xff]), Buffer.alloc(0)],
      };
      const ECHO = fresh(
        `select $1::text as text, $2::text as none, $3::int as number, $4::boolean as yes, $5::timestamptz as time,
        $6::bytea as bytes, $7::text[] as list, $8::text[] as empty, $9::bytea[] as digests`,
      );
      const ask = () => own[hot](ECHO, Object.values(values));
      expect(await Promise.all([ask(), ask()])).toEqual([[values], [values]]);
      expect(await ask()).toEqual([values]);
      await own.close();
    },
  );

  test('what is slow is gone around', async () => {
    const table = `open_${hot}`.toLowerCase();
    await sql(database, `create table ${table} (n int)`);
    await sql(
      database,
      `create function wait_for_${table}() returns text language plpgsql as $$ begin
        while not exists (select from ${table}) loop perform pg_sleep(0.01); end loop; return 'slow';
      end $$`,
    );
    const SLOW = fresh(`select wait_for_${table}() as word`);
    const ECHO = fresh('select $1::int as n');
    const slow = database[hot](SLOW, []);
    const running = `select from pg_stat_activity where state = 'active' and query like 'select wait_for_${table}%'`;
    await until('the slow one to run', async () => (await sql(database, running)).length === 1);
    expect(await Promise.all([1, 2].map((n) => database[hot](ECHO, [n])))).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    await sql(database, `insert into ${table} values (1)`);
    expect(await slow).toEqual([{ word: 'slow' }]);
  });

  test('what is asked before the database is closed is answered; what is asked after it fails', async () => {
    const own = openDatabase(url, 1);
    const ECHO = fresh('select $1::int as n');
    const asked = Promise.all([1, 2].map((n) => own[hot](ECHO, [n])));
    await own.close();
    expect(await asked).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    await expect(own[hot](ECHO, [3])).rejects.toThrow('Connection closed');
  });
});

describe('statements that are asked at the same time', () => {
  const XACT = statement('xact', 'select pg_current_xact_id()::text as id');
  const askTwice = async () => {
    const rows = await Promise.all([XACT, XACT].map((one) => database.hotWrite<{ id: string }>(one, [])));
    return rows.map(([row]) => row?.id);
  };

  test('are one transaction and one commit; those asked later are another', async () => {
    const [one, two] = await askTwice();
    expect(two).toBe(one);
    const [three, four] = await askTwice();
    expect(four).toBe(three);
    expect(three).not.toBe(one);
  });

  test('when one fails the others are carried out, each once and each in a transaction of its own', async () => {
    await sql(database, 'create table carried (n int primary key, xact text)');
    const INSERT = fresh('insert into carried values ($1::int / $2::int, pg_current_xact_id()::text)');
    const results = await Promise.allSettled(
      [4, 5, 0, 6, 7].map((n) => database.hotWrite(INSERT, [n, n && 1])),
    );
    expect(results[2]).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    const rows = await sql(database, 'select n, xact from carried order by n');
    expect(rows.map(({ n }) => n)).toEqual([4, 5, 6, 7]);
    expect(new Set(rows.map(({ xact }) => xact)).size).toBe(4);
  });

  test('a lock timeout fails the same statement behind it in the batch, and no other', async () => {
    await sql(database, 'create table rows as select n from generate_series(1, 4) n');
    const LOCKED = fresh('update rows set n = n where n = $1::int returning n');
    const FREE = fresh('update rows set n = n where n = $1::int returning n');
    await database.transaction(async (holder) => {
      await holder.query(LOCKED, [1]);
      const asked: [typeof FREE, number][] = [
        [FREE, 2],
        [LOCKED, 3],
        [LOCKED, 1],
        [LOCKED, 4],
        [FREE, 2],
      ];
      const results = await Promise.allSettled(asked.map(([one, n]) => database.hotWrite(one, [n])));
      const refused = { status: 'rejected', reason: { code: '55P03' } };
      expect(results).toMatchObject([
        { status: 'fulfilled', value: [{ n: 2 }] },
        { status: 'fulfilled', value: [{ n: 3 }] },
        refused,
        refused,
        { status: 'fulfilled', value: [{ n: 2 }] },
      ]);
    });
  });

  test('two processes that lock each other out are both served', async () => {
    await sql(database, 'create table crossed as select n, 0 as count from generate_series(1, 2) n');
    const COUNT = fresh(
      'update crossed set count = count + 1 where n = $1::int returning pg_sleep(0.2)::text is null as done',
    );
    const other = openDatabase(url, 1);
    const both = (of: Database, order: number[]) => order.map((n) => of.hotWrite(COUNT, [n]));
    await Promise.all([...both(database, [1, 2]), ...both(other, [2, 1])]);
    expect(await sql(database, 'select n, count from crossed order by n')).toEqual([
      { n: 1, count: 2 },
      { n: 2, count: 2 },
    ]);
    await other.close();
  });
});

test('a migration that changes what a prepared statement gives: nobody notices', async () => {
  await sql(database, 'create table changed as select 1 as n');
  const FIND = fresh('select n from changed');
  for (const hot of ['hotRead', 'hotWrite'] as const)
    expect(await database[hot](FIND, [])).toEqual([{ n: 1 }]);
  await sql(database, 'alter table changed alter column n type text');
  for (const hot of ['hotRead', 'hotWrite'] as const)
    expect(await Promise.all(Array.from({ length: 5 }, () => database[hot](FIND, [])))).toEqual(
      Array(5).fill([{ n: '1' }]),
    );
});

test('prepared statements that somebody has thrown away are prepared again', async () => {
  const own = openDatabase(url, 1);
  const ONE = fresh('select 1 as n');
  const FORGET = fresh('deallocate all');
  await own.hotRead(ONE, []);
  await own.hotRead(FORGET, []);
  expect(await Promise.all([own.hotRead(ONE, []), own.hotRead(ONE, [])])).toEqual([[{ n: 1 }], [{ n: 1 }]]);
  await own.close();
});

test.each([[[null]], [[undefined]], [[new Date()]], [[['nested']]]])(
  'an array of what would arrive as something else is refused: %j',
  async (list) => {
    await expect(database.hotRead(fresh('select $1::text[] as list'), [list])).rejects.toThrow(TypeError);
  },
);
