// npm run bench:lanes: what the tuned numbers of store/lanes are worth, each against others, in rounds that take turns.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Lanes, openLanes } from '../src/store/lanes/lanes.ts';
import { READ_LANES, type Tuning, WRITE_LANES } from '../src/store/lanes/tuning.ts';
import { statement } from '../src/store/statement.ts';
import { startEmbeddedPostgres } from '../tools/embedded-postgres.ts';
import { cpuOfFamily, postmasterPid } from './processes.ts';

const ROUNDS = 3;
/** Long enough beside a lock for it to have been waited for in vain. */
const secondsBeside = (neighbour: Neighbour) => (neighbour === LOCKED || neighbour === UPDATE ? 4 : 1);

const READ = statement('read', 'select n, word from lanes_read where n = $1::int');
const WRITE = statement('write', 'insert into lanes_written (word) values ($1::text)');
const SLOW = statement('slow', 'select from pg_sleep(0.05)');
const LOCKED = statement('locked', 'select from lanes_locked where n = $1::int');
const UPDATE = statement('update', 'update lanes_locked set n = n where n = $1::int');

/**
 * What one more caller sends again and again while the others do their work. They pause then, or all of them would
 * arrive at the same moment as it, every time.
 */
type Neighbour = typeof SLOW | undefined;
const PAUSE = 10;

interface Case {
  name: string;
  usual: Tuning;
  callers: number;
  neighbour: Neighbour;
  others: Partial<Tuning>[];
}

const counts = (...all: number[]) => all.map((count) => ({ count }));
const batches = (...all: number[]) => all.map((batch) => ({ batch }));
const patiences = (...all: number[]) => all.map((patience) => ({ patience }));
const READS = { name: 'reads', usual: READ_LANES };
const WRITES = { name: 'writes', usual: WRITE_LANES };
const cases: Case[] = [
  ...[READS, WRITES].flatMap((lanes) => [
    { ...lanes, callers: 32, neighbour: undefined, others: [...batches(1, 12), ...patiences(2, 50)] },
    { ...lanes, callers: 200, neighbour: undefined, others: batches(12, 200) },
  ]),
  { ...READS, callers: 32, neighbour: SLOW, others: [...counts(1, 4), ...patiences(2, 50)] },
  { ...WRITES, callers: 32, neighbour: SLOW, others: [...counts(1, 2, 8), ...patiences(2, 50)] },
  { ...READS, callers: 32, neighbour: LOCKED, others: [{ rest: 0 }, { lockTimeout: 2_000 }] },
  { ...WRITES, callers: 32, neighbour: UPDATE, others: [{ count: 1 }, { lockTimeout: 500 }] },
];

interface Measured {
  ownCpu: number;
  postgresCpu: number;
  perSecond: number;
  p50: number;
  p99: number;
  longest: number;
}

const folder = mkdtempSync(join(tmpdir(), 'sesame-lanes-'));
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
const connection = { connectionString: postgres.url };
const holder = new pg.Client(connection);
await holder.connect();
try {
  const pid = await postmasterPid(postgres.url);
  await holder.query(`create table lanes_written (n bigserial primary key, word text);
    create table lanes_locked as select 1 as n;
    create table lanes_read (n int primary key, word text);
    insert into lanes_read select n, md5(n::text) from generate_series(0, 9999) n`);
  await holder.query('begin; lock table lanes_locked');
  for (const { name, usual, callers, neighbour, others } of cases) {
    const variants = [{}, ...others];
    const rounds = variants.map((): Measured[] => []);
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const [n, variant] of variants.entries()) {
        const lanes = openLanes(connection, { ...usual, ...variant }, true, () => {});
        const one = await measure(lanes, usual === READ_LANES, callers, neighbour, pid);
        if (round > 0) rounds[n]?.push(one); // the first one warms up
        await lanes.close();
      }
    const beside = neighbour === undefined ? '' : ` beside one that sends '${neighbour.name}'`;
    process.stdout.write(`\n${name}, ${callers} callers${beside}\n`);
    for (const [n, variant] of variants.entries())
      print(Object.entries(variant).join(' ') || 'as they are', rounds[n] ?? []);
  }
} finally {
  await holder.end();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(
  lanes: Lanes,
  reading: boolean,
  callers: number,
  neighbour: Neighbour,
  pid: number,
): Promise<Measured> {
  const latencies: number[] = [];
  const before = { own: process.cpuUsage(), postgres: cpuOfFamily(pid) };
  const started = performance.now();
  const end = started + secondsBeside(neighbour) * 1000;
  const goesOn = () => performance.now() < end;
  const caller = async () => {
    while (goesOn()) {
      const from = performance.now();
      if (reading) await lanes.query(READ, [latencies.length % 10_000]);
      else await lanes.query(WRITE, ['word']);
      latencies.push(performance.now() - from);
      if (neighbour !== undefined) await sleep(Math.random() * PAUSE);
    }
  };
  const beside = async () => {
    while (neighbour !== undefined && goesOn())
      await lanes.query(neighbour, neighbour === SLOW ? [] : [1]).catch(() => new Promise(setImmediate));
  };
  await Promise.all([...Array.from({ length: callers }, caller), beside()]);
  const count = latencies.length;
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before.own);
  const postgresCpu = cpuOfFamily(pid) - before.postgres;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(share * (count - 1))] ?? 0;
  return {
    ownCpu: (user + system) / 1000 / count,
    postgresCpu: (postgresCpu / count) * 1000,
    perSecond: count / seconds,
    p50: at(0.5),
    p99: at(0.99),
    longest: at(1),
  };
}

function print(name: string, rounds: Measured[]): void {
  const middle = (key: keyof Measured) =>
    rounds.map((one) => one[key]).sort((a, b) => a - b)[rounds.length >> 1] ?? 0;
  process.stdout.write(
    `  ${name.padEnd(16)} cpu per 1,000 s: ${middle('ownCpu').toFixed(4)} + ${middle('postgresCpu').toFixed(4)}` +
      `   ${middle('perSecond').toFixed(0)}/s   ms: p50 ${middle('p50').toFixed(1)} p99 ${middle('p99').toFixed(1)}` +
      ` longest ${middle('longest').toFixed(0)}\n`,
  );
}
