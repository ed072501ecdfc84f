// Statement batching when a connection fails, or when its prepared statements are outdated.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { isUnavailable, openDatabase } from '../../../src/store/database.ts';
import { statement } from '../../../src/store/statement.ts';
import { openTestDatabase, sql } from '../../support/populate.ts';
import { until } from '../../support/until.ts';

const { url, database, close } = await openTestDatabase();
afterAll(() => close());

let statements = 0;
const fresh = (text: string) => statement(`fault_${++statements}`, text);

/** Stands before PostgreSQL; `answer` says what becomes of each of its messages. */
async function between(answer: (type: string, message: Buffer, near: Socket) => Buffer[]) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    let rest = Buffer.alloc(0);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
        const length = 1 + rest.readInt32BE(1);
        for (const one of answer(String.fromCharCode(rest[0] ?? 0), rest.subarray(0, length), near))
          near.write(one);
        rest = rest.subarray(length);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: Object.assign(new URL(url), {
      hostname: '127.0.0.1',
      port: String((server.address() as AddressInfo).port),
    }).href,
    sockets,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

test('a connection that falls silent after an error: its batch is refused in time, and the next one takes another', async () => {
  let armed = false;
  const silent = new Set<Socket>();
  const proxy = await between((type, message, near) => {
    if (silent.has(near)) return [];
    if (armed && type === 'E') silent.add(near);
    return [message];
  });
  const own = openDatabase(proxy.url, 1);
  const DIVIDE = fresh('select 1 / $1::int as n');
  await own.hotRead(DIVIDE, [1]);
  armed = true;
  const results = await Promise.allSettled([1, 0, 1].map((n) => own.hotRead(DIVIDE, [n])));
  armed = false;
  for (const result of results) expect(isUnavailable((result as PromiseRejectedResult).reason)).toBe(true);
  expect(own.usage().hot.read).toBe(0);
  expect(await own.hotRead(DIVIDE, [1])).toEqual([{ n: 1 }]);
  await own.close();
  proxy.close();
});

test('what has been refused is not carried out, whatever else the connection says; nor does it stay open', async () => {
  await sql(database, 'create table refused (n int)');
  let armed = false;
  const proxy = await between((type, message) => {
    if (!armed || type !== 'E') return [message];
    armed = false;
    return [message, message];
  });
  const own = openDatabase(proxy.url, 1);
  const INSERT = fresh('insert into refused values (1 / $1::int)');
  await own.hotWrite(INSERT, [1]);
  armed = true;
  const results = await Promise.allSettled([1, 0, 1].map((n) => own.hotWrite(INSERT, [n])));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await own.hotWrite(INSERT, [1]);
  expect(await sql(database, 'select count(*)::int as n from refused')).toEqual([{ n: 2 }]);
  await own.close();
  await until('every connection to end', () => proxy.sockets.size === 0);
  proxy.close();
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

test('a statement that is not supported fails once, and does not go round', async () => {
  const NOT = fresh(`select case when $1::int > 0 then pg_notify('x', repeat('y', 9000))::text end as n`);
  const CODE = fresh(`do $$ begin raise exception using errcode = '0A000'; end $$`);
  await database.hotRead(NOT, [0]);
  for (let n = 0; n < 3; n += 1) {
    await expect(database.hotRead(CODE, [])).rejects.toMatchObject({ code: '0A000' });
    await expect(database.hotRead(NOT, [1])).rejects.toThrow();
  }
});

test('a connection of the pool whose prepared statements are out of date is given up after one transaction', async () => {
  const own = openDatabase(url, 1);
  await sql(database, 'create table out_of_date as select 1 as n');
  const FIND = fresh('select n from out_of_date');
  const ask = () => own.transaction((transaction) => transaction.query(FIND, []));
  await ask();
  await sql(database, 'alter table out_of_date alter column n type text');
  await expect(ask()).rejects.toMatchObject({ code: '0A000' });
  expect(await ask()).toEqual([{ n: '1' }]);
  await own.close();
});

test.each([[[null]], [[undefined]], [[new Date()]], [[['nested']]]])(
  'an array of what would arrive as something else is refused: %j',
  async (list) => {
    await expect(database.hotRead(fresh('select $1::text[] as list'), [list])).rejects.toThrow(TypeError);
  },
);

test('a transaction whose process fell silent holds its locks for a bounded time', async () => {
  const timeout = await database.transaction((transaction) =>
    transaction.query(fresh(`select current_setting('idle_in_transaction_session_timeout') as t`), []),
  );
  expect(timeout).toEqual([{ t: '12s' }]);
});
