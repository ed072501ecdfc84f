// Lanes: many statements at once on a few pipelined connections, each with its own answer and its own failure.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, isUnavailable, statement } from '../../src/store/database.ts';
import { openTestDatabase, sql } from '../support/populate.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openTestDatabase());
});
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

  test('a statement that fails fails alone; those before and after it on its lane are answered', async () => {
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

  test('without a transaction around it each statement is its own', async () => {
    const table = `own_${hot}`.toLowerCase();
    await sql(database, `create table ${table} (n int primary key)`);
    const INSERT = fresh(`insert into ${table} (n) values ($1::int)`);
    const results = await Promise.allSettled([1, 2, 1, 3].map((n) => database[hot](INSERT, [n])));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(await sql(database, `select n from ${table} order by n`)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });
});
