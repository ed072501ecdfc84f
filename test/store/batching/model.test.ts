// Statement batching against its model: concurrent callers get what each would get on its own connection.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { type Batching, openBatching } from '../../../src/store/batching/batching.ts';
import { createTestDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';
import {
  EMPTY,
  expectAsAlone,
  expectFair,
  type Outcome,
  type Step,
  step,
  TABLES,
  terminate,
  told,
} from './model.ts';

const scriptsOf = (step: fc.Arbitrary<Step>) =>
  fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 20 });
const anyConnections = fc.integer({ min: 1, max: 4 });
/** Deadlocks are found soon, and no lock timeout strikes, however slow the machine is. */
const OPTIONS = { application_name: 'batching', options: '-c deadlock_timeout=20ms' };

const database = await createTestDatabase();
const plain = new pg.Client({ connectionString: database.url });
const killer = new pg.Client({ connectionString: database.url });
await Promise.all([plain.connect(), killer.connect()]);
await plain.query(TABLES);
afterAll(async () => {
  await Promise.all([plain.end(), killer.end()]);
  await database.drop();
});

interface Opened {
  reads: Batching;
  writes: Batching;
  close(): Promise<unknown>;
}

function open(url: string, connections: number, prepare: boolean): Opened {
  const config = { connectionString: url, ...OPTIONS };
  const openOne = () => openBatching(config, { connections, lockTimeout: 25_000, prepare }, () => {});
  const [reads, writes] = [openOne(), openOne()];
  return { reads, writes, close: () => Promise.all([reads.close(), writes.close()]) };
}

/** Every caller does one step after the other, all callers at the same time. What is lost ends a script. */
async function through({ reads, writes }: Opened, scripts: readonly Step[][]): Promise<Outcome[][]> {
  await plain.query(EMPTY);
  return Promise.all(
    scripts.map(async (script, caller) => {
      const outcomes: Outcome[] = [];
      for (const [n, { ask, reads: isRead, values }] of script.entries()) {
        outcomes.push(await told((isRead ? reads : writes).query(ask, values(caller, n))));
        if (outcomes.at(-1) === 'lost') break;
      }
      return outcomes;
    }),
  );
}

/** PostgreSQL goes on with what it has received, also for a connection that has ended. */
const everyConnectionToEnd = () =>
  until('every connection to end', async () => {
    const { rows } = await plain.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'batching'`,
    );
    return rows.length === 0;
  });

/** Stands before PostgreSQL, and ends each connection in place of its so-many-th piece of an answer. */
async function between(ends: readonly number[]) {
  const target = new URL(database.url);
  let opened = 0;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    let left = ends[opened++] ?? Number.POSITIVE_INFINITY;
    for (const socket of [near, far]) {
      socket.on('error', () => {});
      socket.on('close', () => [near, far].map((one) => one.destroy()));
    }
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => (left-- > 0 ? near.write(bytes) : near.destroy()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = Object.assign(new URL(database.url), { hostname: '127.0.0.1', port: String(port) }).href;
  return { url, close: () => server.close() };
}

/** What hangs is a failure, too. */
const check = <Given>(property: fc.IAsyncProperty<Given>) =>
  fc.assert(property, { numRuns: 50, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true });

test('property: as on a connection of its own, whoever else is in the batch', async () => {
  await check(
    fc.asyncProperty(scriptsOf(step), anyConnections, fc.boolean(), async (scripts, connections, prepare) => {
      const opened = open(database.url, connections, prepare);
      const outcomes = await through(opened, scripts);
      await opened.close();
      expect(outcomes.flat()).not.toContain('lost');
      await expectAsAlone(plain, scripts, outcomes);
      await expectFair(plain, scripts, outcomes);
    }),
  );
}, 120_000);

test('property: where connections end, what was answered is done; what was not is done once or not at all', async () => {
  const steps = fc.oneof({ weight: 9, arbitrary: step }, { weight: 1, arbitrary: terminate });
  const ends = fc.array(fc.nat(8), { minLength: 2, maxLength: 8 });
  await check(
    fc.asyncProperty(
      scriptsOf(steps),
      anyConnections,
      ends,
      fc.nat(3),
      async (scripts, connections, ends, kills) => {
        const proxy = await between(ends);
        const opened = open(proxy.url, connections, true);
        const killing = async () => {
          for (let n = 0; n < kills; n += 1)
            await killer.query(
              `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name = 'batching'`,
            );
        };
        const [outcomes] = await Promise.all([through(opened, scripts), killing()]);
        await opened.close();
        proxy.close();
        await everyConnectionToEnd();
        await expectAsAlone(plain, scripts, outcomes);
        await expectFair(plain, scripts, outcomes);
      },
    ),
  );
}, 120_000);

test('property: what was asked before the end is answered as ever, and nothing after it', async () => {
  await check(
    fc.asyncProperty(scriptsOf(step), anyConnections, fc.nat(20), async (scripts, connections, turns) => {
      const opened = open(database.url, connections, true);
      let ended = false;
      const closing = async () => {
        for (let n = 0; n < turns; n += 1) await new Promise(setImmediate);
        ended = true;
        await opened.close();
      };
      /** For each lost one whether it was asked after the end. */
      const late: boolean[] = [];
      const watched = ({ query, ...rest }: Batching): Batching => ({
        ...rest,
        query: (ask, values) => {
          const isLate = ended;
          const asked = query<never>(ask, values);
          told(asked).then((outcome) => outcome === 'lost' && late.push(isLate));
          return asked;
        },
      });
      const all = { ...opened, reads: watched(opened.reads), writes: watched(opened.writes) };
      const [outcomes] = await Promise.all([through(all, scripts), closing()]);
      expect(late).not.toContain(false);
      await expectAsAlone(plain, scripts, outcomes);
      await expectFair(plain, scripts, outcomes);
    }),
  );
}, 120_000);
