// Lanes against their model: whatever callers ask at the same time, each gets what a connection of its own would give it.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Lanes, openLanes } from '../../../src/store/lanes/lanes.ts';
import { READ_LANES, type Tuning, WRITE_LANES } from '../../../src/store/lanes/tuning.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
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
const anyTuning = fc.record({
  batch: fc.constantFrom(1, 2, 5, 50),
  count: fc.integer({ min: 1, max: 4 }),
  patience: fc.constantFrom(0, 1, 10),
});
/** Deadlocks are soon found, and nobody waits for a lock in vain: how long the machine takes says nothing here. */
const OPTIONS = { application_name: 'lanes', options: '-c deadlock_timeout=20ms' };
const PATIENT = { lockTimeout: 25_000, queueTimeout: 25_000 };

let database: TestDatabase;
let plain: pg.Client;
let killer: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  plain = new pg.Client({ connectionString: database.url });
  killer = new pg.Client({ connectionString: database.url });
  await Promise.all([plain.connect(), killer.connect()]);
  await plain.query(TABLES);
});
afterAll(async () => {
  await Promise.all([plain.end(), killer.end()]);
  await database.drop();
});

interface Opened {
  reads: Lanes;
  writes: Lanes;
  close(): Promise<unknown>;
}

function open(url: string, changed: Partial<Tuning>, prepare: boolean): Opened {
  const connection = { connectionString: url, ...OPTIONS };
  const reads = openLanes(connection, { ...READ_LANES, ...changed, ...PATIENT }, prepare, () => {});
  const writes = openLanes(connection, { ...WRITE_LANES, ...changed, ...PATIENT }, prepare, () => {});
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
      `select from pg_stat_activity where datname = current_database() and application_name = 'lanes'`,
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
    fc.asyncProperty(scriptsOf(step), anyTuning, fc.boolean(), async (scripts, tuning, prepare) => {
      const lanes = open(database.url, tuning, prepare);
      const outcomes = await through(lanes, scripts);
      await lanes.close();
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
    fc.asyncProperty(scriptsOf(steps), anyTuning, ends, fc.nat(3), async (scripts, tuning, ends, kills) => {
      const proxy = await between(ends);
      const lanes = open(proxy.url, tuning, true);
      const killing = async () => {
        for (let n = 0; n < kills; n += 1)
          await killer.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and application_name = 'lanes'`,
          );
      };
      const [outcomes] = await Promise.all([through(lanes, scripts), killing()]);
      await lanes.close();
      proxy.close();
      await everyConnectionToEnd();
      await expectAsAlone(plain, scripts, outcomes);
      await expectFair(plain, scripts, outcomes);
    }),
  );
}, 120_000);

test('property: what was asked before the end is answered as ever, and nothing after it', async () => {
  await check(
    fc.asyncProperty(scriptsOf(step), anyTuning, fc.nat(20), async (scripts, tuning, turns) => {
      const lanes = open(database.url, tuning, true);
      let ended = false;
      const closing = async () => {
        for (let n = 0; n < turns; n += 1) await new Promise(setImmediate);
        ended = true;
        await lanes.close();
      };
      /** For each lost one whether it was asked after the end. */
      const late: boolean[] = [];
      const watched = ({ query, ...lanes }: Lanes): Lanes => ({
        ...lanes,
        query: (ask, values) => {
          const isLate = ended;
          const asked = query<never>(ask, values);
          told(asked).then((outcome) => outcome === 'lost' && late.push(isLate));
          return asked;
        },
      });
      const all = { ...lanes, reads: watched(lanes.reads), writes: watched(lanes.writes) };
      const [outcomes] = await Promise.all([through(all, scripts), closing()]);
      expect(late).not.toContain(false);
      await expectAsAlone(plain, scripts, outcomes);
      await expectFair(plain, scripts, outcomes);
    }),
  );
}, 120_000);
