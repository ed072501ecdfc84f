// The database: transactions, and connections that are lost and made again (D10, D22).
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, isUnavailable, openDatabase } from '../../src/store/database.ts';
import { statement } from '../../src/store/statement.ts';
import { openTestDatabase, sql } from '../support/populate.ts';
import { until } from '../support/until.ts';

let url: string;
let database: Database;
let close: () => Promise<void>;
beforeEach(async () => {
  ({ url, database, close } = await openTestDatabase());
  await sql(database, 'create table notes (text text primary key)');
});
afterEach(() => close());

const INSERT = statement('insert_note', 'insert into notes (text) values ($1::text)');
const LIST = statement('list_notes', 'select text from notes order by text');
const PID = statement('pid', 'select pg_backend_pid() as pid');
const notes = async () => (await database.query<{ text: string }>(LIST, [])).map(({ text }) => text);

/** What a piece of work was refused with; that it was not refused fails the test. */
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => {
      throw new Error('was not refused');
    },
    (error) => error,
  );

/** Ends one connection, or all of this database, as a restart of PostgreSQL does; resolves when they are gone. */
async function terminate(pid: number | null = null): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and ($1::int is null or pid = $1::int)`,
    [pid],
  );
  await client.end();
}

describe('transactions', () => {
  test('are rolled back when the work throws, and throw the same', async () => {
    const reason = new Error('changed my mind');
    const work = database.transaction(async (transaction) => {
      await transaction.query(INSERT, ['a']);
      throw reason;
    });
    expect(await failureOf(work)).toBe(reason);
    expect(await notes()).toEqual([]);
  });

  test('are rolled back when a statement fails, and the connection is good again', async () => {
    const single = openDatabase(url, 1);
    const pid = async () => (await single.query<{ pid: number }>(PID, []))[0]?.pid;
    const before = await pid();
    const work = single.transaction(async (transaction) => {
      await transaction.query(INSERT, ['a']);
      await transaction.query(INSERT, ['a']);
    });
    expect(await failureOf(work)).toMatchObject({ code: '23505' });
    await single.query(INSERT, ['b']);
    expect(await notes()).toEqual(['b']);
    expect(await pid()).toBe(before);
    await single.close();
  });

  test('fail when their connection breaks between two statements; the process and the pool live on', async () => {
    const single = openDatabase(url, 1);
    const work = single.transaction(async (transaction) => {
      await transaction.query(INSERT, ['a']);
      const [row] = await transaction.query<{ pid: number }>(PID, []);
      await terminate(row?.pid ?? 0);
      await transaction.query(INSERT, ['b']);
    });
    expect(isUnavailable(await failureOf(work))).toBe(true);
    expect(await single.query(LIST, [])).toEqual([]);
    await single.close();
  });
});

describe('lost connections', () => {
  test('are made again: every way of asking works after all of them were ended', async () => {
    const lost: Error[] = [];
    const service = openDatabase(url, 2, (error) => lost.push(error));
    const askAll = () =>
      Promise.all([
        service.query(LIST, []),
        service.hotRead(LIST, []),
        service.hotWrite(LIST, []),
        service.transaction((transaction) => transaction.query(LIST, [])),
      ]);
    await askAll();
    await terminate();
    // A statement may still meet a connection whose end has not arrived; from then on all is well.
    await until('all to be well', () =>
      askAll().then(
        () => true,
        (error) => {
          expect(isUnavailable(error), String(error)).toBe(true);
          return false;
        },
      ),
    );
    await askAll();
    for (const error of lost) expect(isUnavailable(error), String(error)).toBe(true);
    await service.close();
  });

  test('fail what was on its way on them, as unavailable', async () => {
    const SLOW = statement('slow', 'select pg_sleep(60)');
    const service = openDatabase(url, 2);
    const running = [service.query(SLOW, []), service.hotRead(SLOW, []), service.hotWrite(SLOW, [])].map(
      failureOf,
    );
    const arrived =
      "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'";
    await until('all of them to have arrived', async () => (await sql(database, arrived)).length === 3);
    await terminate();
    for (const error of await Promise.all(running)) expect(isUnavailable(error), String(error)).toBe(true);
    await service.close();
  });
});

describe('a deadlock is retried twice', () => {
  const LOCK = statement('lock_note', 'select text from notes where text = $1::text for update');
  const RENAME = statement('rename_note', 'update notes set text = text || $2::text where text = $1::text');

  test('two transactions that wait for each other both commit', async () => {
    for (const text of ['a', 'b']) await database.query(INSERT, [text]);
    const locked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const both = (mine: 0 | 1, [first, second]: [string, string]) =>
      database.transaction(async (transaction) => {
        await transaction.query(LOCK, [first]);
        locked[mine].resolve();
        await locked[1 - mine]?.promise;
        await transaction.query(RENAME, [second, `${mine}`]);
      });
    await Promise.all([both(0, ['a', 'b']), both(1, ['b', 'a'])]);
    expect(await notes()).toEqual(['a1', 'b0']);
  });

  test.each([
    [2, 'committed'],
    [3, 'failed'],
  ])('a transaction that loses %i deadlocks has %s', async (deadlocks, outcome) => {
    const DEADLOCK = statement(
      'raise_deadlock',
      `do $$ begin raise exception 'deadlock' using errcode = '40P01'; end $$`,
    );
    let runs = 0;
    const work = database.transaction(async (transaction) => {
      runs += 1;
      await transaction.query(INSERT, [`run ${runs}`]);
      if (runs <= deadlocks) await transaction.query(DEADLOCK, []);
    });
    if (outcome === 'failed') expect(await failureOf(work)).toMatchObject({ code: '40P01' });
    else await work;
    expect(runs).toBe(3);
    expect(await notes()).toEqual(outcome === 'failed' ? [] : ['run 3']);
  });
});
