// Transactions, lost connections, and deadlock retries.
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, isUnavailable, openDatabase } from '../../src/store/database.ts';
import { statement } from '../../src/store/statement.ts';
import { openTestDatabase, sql } from '../support/store-fixtures.ts';
import { waitUntil } from '../support/wait-until.ts';

let url: string;
let database: Database;
let close: () => Promise<void>;
beforeEach(async () => {
  ({ url, database, close } = await openTestDatabase());
  await sql(database, 'create table notes (text text primary key)');
});
afterEach(() => close());

const INSERT_NOTE = statement('insert_note', 'insert into notes (text) values ($1::text)');
const LIST_NOTES = statement('list_notes', 'select text from notes order by text');
const SELECT_PID = statement('pid', 'select pg_backend_pid() as pid');
const listNotes = async () =>
  (await database.query<{ text: string }>(LIST_NOTES, [])).map(({ text }) => text);

/** Resolves with the error. Fails the test if the promise doesn't reject. */
const catchRejection = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => {
      throw new Error('did not reject');
    },
    (error) => error,
  );

/** Terminates a connection, or by default all other connections. */
async function terminateConnections(pid: number | null = null): Promise<void> {
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
  test('are rolled back if the callback throws', async () => {
    const reason = new Error('canceled');
    const work = database.transaction(async (transaction) => {
      await transaction.query(INSERT_NOTE, ['a']);
      throw reason;
    });
    expect(await catchRejection(work)).toBe(reason);
    expect(await listNotes()).toEqual([]);
  });

  test('are rolled back if a statement fails', async () => {
    const single = openDatabase(url, 1);
    const readPid = async () => (await single.query<{ pid: number }>(SELECT_PID, []))[0]?.pid;
    const pidBefore = await readPid();
    const work = single.transaction(async (transaction) => {
      await transaction.query(INSERT_NOTE, ['a']);
      await transaction.query(INSERT_NOTE, ['a']);
    });
    expect(await catchRejection(work)).toMatchObject({ code: '23505' });
    await single.query(INSERT_NOTE, ['b']);
    expect(await listNotes()).toEqual(['b']);
    expect(await readPid()).toBe(pidBefore);
    await single.close();
  });

  test('fail if their connection breaks between two statements', async () => {
    const single = openDatabase(url, 1);
    const work = single.transaction(async (transaction) => {
      await transaction.query(INSERT_NOTE, ['a']);
      const [row] = await transaction.query<{ pid: number }>(SELECT_PID, []);
      await terminateConnections(row?.pid ?? 0);
      await transaction.query(INSERT_NOTE, ['b']);
    });
    expect(isUnavailable(await catchRejection(work))).toBe(true);
    expect(await single.query(LIST_NOTES, [])).toEqual([]);
    await single.close();
  });
});

describe('lost connections', () => {
  test('are replaced for single queries, batches and transactions', async () => {
    const idleErrors: Error[] = [];
    const service = openDatabase(url, 2, (error) => idleErrors.push(error));
    const queryAll = () =>
      Promise.all([
        service.query(LIST_NOTES, []),
        service.hotRead(LIST_NOTES, []),
        service.hotWrite(LIST_NOTES, []),
        service.transaction((transaction) => transaction.query(LIST_NOTES, [])),
      ]);
    await queryAll();
    await terminateConnections();
    // Statements fail until the service has detected the closed connections.
    await waitUntil('all queries to succeed', () =>
      queryAll().then(
        () => true,
        (error) => {
          expect(isUnavailable(error), String(error)).toBe(true);
          return false;
        },
      ),
    );
    await queryAll();
    for (const error of idleErrors) expect(isUnavailable(error), String(error)).toBe(true);
    await service.close();
  });

  test('cause a recognized error for statements in flight', async () => {
    const SLOW = statement('slow', 'select pg_sleep(60)');
    const service = openDatabase(url, 2);
    const running = [service.query(SLOW, []), service.hotRead(SLOW, []), service.hotWrite(SLOW, [])].map(
      catchRejection,
    );
    const runningSql =
      "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'";
    await waitUntil('all statements to run', async () => (await sql(database, runningSql)).length === 3);
    await terminateConnections();
    for (const error of await Promise.all(running)) expect(isUnavailable(error), String(error)).toBe(true);
    await service.close();
  });
});

describe('a transaction', () => {
  const LOCK = statement('lock_note', 'select text from notes where text = $1::text for update');
  const RENAME = statement('rename_note', 'update notes set text = text || $2::text where text = $1::text');

  test('is retried after a deadlock', async () => {
    for (const text of ['a', 'b']) await database.query(INSERT_NOTE, [text]);
    const locked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const lockAndRename = (index: 0 | 1, [first, second]: [string, string]) =>
      database.transaction(async (transaction) => {
        await transaction.query(LOCK, [first]);
        locked[index].resolve();
        await locked[1 - index]?.promise;
        await transaction.query(RENAME, [second, `${index}`]);
      });
    await Promise.all([lockAndRename(0, ['a', 'b']), lockAndRename(1, ['b', 'a'])]);
    expect(await listNotes()).toEqual(['a1', 'b0']);
  });

  test.each([
    [2, 'is committed'],
    [3, 'fails'],
  ])('with %i deadlocks %s', async (deadlocks, outcome) => {
    const DEADLOCK = statement(
      'raise_deadlock',
      `do $$ begin raise exception 'deadlock' using errcode = '40P01'; end $$`,
    );
    let runs = 0;
    const work = database.transaction(async (transaction) => {
      runs += 1;
      await transaction.query(INSERT_NOTE, [`run ${runs}`]);
      if (runs <= deadlocks) await transaction.query(DEADLOCK, []);
    });
    if (outcome === 'fails') expect(await catchRejection(work)).toMatchObject({ code: '40P01' });
    else await work;
    expect(runs).toBe(3);
    expect(await listNotes()).toEqual(outcome === 'fails' ? [] : ['run 3']);
  });
});
