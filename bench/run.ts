// npm run bench: starts everything, measures in interleaved rounds, prints medians and ratios.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { table } from '../src/cli/run.ts';
import { migrate } from '../src/store/migrate.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../tools/embedded-postgres.ts';
import { freePort } from '../tools/free-port.ts';
import { HOSTILE, measureHostileInputs } from './hostile/stalls.ts';
import { type Measurement, measure, runInOf, type Target } from './measure.ts';
import { type Operation, operations } from './operations.ts';
import { options, refuse } from './options.ts';
import { type RowSize, rowSizes } from './population.ts';
import { memoryOfFamily, postmasterPid, SERVER_FLAGS, startNode, stop, untilReady } from './processes.ts';
import { makeWorld } from './world.ts';

const SECRET_KEY = 'a key for the benchmark only 0123456789';
const ISSUER = 'https://bench.example';
const COMPILE_CACHE = 'node_modules/.cache/v8';

interface Result {
  name: string;
  yardstick: string | undefined;
  median: Measurement;
  /** Of the medians. */
  ratio: number | undefined;
  /** Each round by itself. */
  ofRounds: number[];
}

const names = [...operations.map(({ name }) => name), HOSTILE];
const unknown = options.only.filter((word) => !names.some((name) => name.includes(word)));
if (unknown.length > 0) refuse(`no operation is called ${unknown.join(' or ')}`);

const folder = mkdtempSync(join(tmpdir(), 'sesame-bench-'));
const postgres = await startPostgres(join(folder, 'postgres'));
await migrate(postgres.url);
const postgresPid = await postmasterPid(postgres.url);
const log = join(folder, 'server.log');
// As in the image: what V8 makes of the sources is there already. Without its settings the service loads and ends.
const settings = { NODE_ENV: 'production', NODE_COMPILE_CACHE: COMPILE_CACHE };
const { status } = spawnSync(process.execPath, [...SERVER_FLAGS, 'src/server.ts'], { env: settings });
if (status !== 78) throw new Error(`loading the service ended with ${status}`);
const [sesamePort, yardstickPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
const sesame = startNode('src/server.ts', sesameEnvironment(postgres.url), log, { flags: SERVER_FLAGS });
const yardsticks = startNode(
  'bench/yardstick.ts',
  { DATABASE_URL: postgres.url, PORT: String(yardstickPort) },
  log,
);
try {
  await untilReady(`http://127.0.0.1:${sesamePort}/readyz`, sesame);
  await untilReady(`http://127.0.0.1:${yardstickPort}/bare`, yardsticks);
  const idleMemory = memoryOfFamily(sesame.pid ?? 0);
  if (operations.some(isChosen)) {
    const { results, sizes } = await run();
    print(results, sizes, idleMemory);
    if (options.json !== undefined)
      writeFileSync(options.json, `${JSON.stringify({ options, idleMemory, sizes, results }, null, 2)}\n`);
  }
  // Named only: it takes longer than all the others together.
  if (options.only.some((word) => HOSTILE.includes(word)))
    await measureHostileInputs(postgres.url, SECRET_KEY, log);
} catch (error) {
  process.stderr.write(readFileSync(log, 'utf8').slice(-3000));
  throw error;
} finally {
  await Promise.all([stop(sesame), stop(yardsticks)]);
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** PostgreSQL with its durable default settings, but for the memory that was asked for. */
async function startPostgres(dataDir: string): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir });
  if (options.sharedBuffers === undefined) return postgres;
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`alter system set shared_buffers = ${pg.escapeLiteral(options.sharedBuffers)}`);
  await client.end();
  await postgres.stop();
  return startEmbeddedPostgres({ dataDir });
}

async function run(): Promise<{ results: Result[]; sizes: RowSize[] }> {
  const world = await makeWorld(postgres.url, SECRET_KEY, ISSUER);
  const sizes = await rowSizes(postgres.url);
  const chosen = operations.filter(isChosen);
  const rounds = new Map<string, Measurement[]>(chosen.map(({ name }) => [name, []]));
  for (let round = options.warmUp.seconds > 0 ? 0 : 1; round <= options.repeats; round += 1)
    for (const operation of chosen) {
      const warmUp = round === 0;
      const duration = warmUp ? options.warmUp : { seconds: options.seconds };
      const step = await operation.prepare(world, (duration.seconds + runInOf(duration)) * 8000);
      if (warmUp) await analyze();
      const { trace } = operation;
      const measured = await measure(targetOf(operation), step, duration, trace && (() => trace(world)));
      process.stderr.write(warmUp ? '' : `${operation.name}: ${Math.round(measured.perSecond)}/s\n`);
      if (!warmUp) rounds.get(operation.name)?.push(measured);
    }
  await world.close();

  const results = chosen.map(({ name, yardstick }) => {
    const measured = rounds.get(name) ?? [];
    const base = rounds.get(yardstick ?? '') ?? [];
    const median = medianOf(measured);
    const ofRounds = base.map((one, round) => together(measured[round] as Measurement) / together(one));
    const ratio = base.length > 0 ? together(median) / together(medianOf(base)) : undefined;
    return { name, yardstick, median, ratio, ofRounds };
  });
  return { results, sizes };
}

/** Statements that were planned for nearly empty tables are planned anew. */
async function analyze(): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query('analyze');
  await client.end();
}

/** Those asked for, and what they are compared with. */
function isChosen(operation: Operation): boolean {
  const isAskedFor = ({ name }: Operation) => options.only.some((word) => name.includes(word));
  return (
    options.only.length === 0 ||
    isAskedFor(operation) ||
    operations.some((other) => other.yardstick === operation.name && isAskedFor(other))
  );
}

function targetOf({ server }: Operation): Target {
  const [port, child] = server === 'sesame' ? [sesamePort, sesame] : [yardstickPort, yardsticks];
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    postgresPid,
    databaseUrl: postgres.url,
    metrics: server === 'sesame' ? `http://127.0.0.1:${metricsPort}/metrics` : undefined,
  };
}

function together({ serverCpu, postgresCpu }: Measurement): number {
  return serverCpu + postgresCpu;
}

function medianOf(measured: Measurement[]): Measurement {
  const keys = Object.keys(measured[0] ?? {}) as (keyof Measurement)[];
  const medians = keys.map((key) => [key, middleOf(measured.map((one) => one[key]))]);
  return Object.fromEntries(medians) as unknown as Measurement;
}

function middleOf(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function print(results: Result[], sizes: RowSize[], idleMemory: number): void {
  const rows = results.map(({ name, yardstick, median: m, ratio, ofRounds }) => [
    name,
    m.serverCpu.toFixed(3),
    m.postgresCpu.toFixed(3),
    together(m).toFixed(3),
    ratio === undefined ? '' : `${ratio.toFixed(2)} × ${yardstick}`,
    ratio === undefined ? '' : `${Math.min(...ofRounds).toFixed(2)}–${Math.max(...ofRounds).toFixed(2)}`,
    String(Math.round(m.perSecond)),
    m.p50.toFixed(1),
    m.p99.toFixed(1),
    yardstick === undefined ? '' : m.statements.toFixed(2),
    String(Math.round(m.walBytes)),
    m.memory.toFixed(0),
  ]);
  const headings = [
    ...['operation', 'server', 'postgres', 'cpu', 'ratio', 'rounds'],
    ...['ops/s', 'p50', 'p99', 'stmts', 'WAL', 'MiB'],
  ];
  process.stdout.write(`${table(headings, rows)}\n\n`);
  process.stdout.write(
    `CPU in seconds per 1,000 operations; latencies in milliseconds; ${options.rows} grants filled in, shared_buffers ${options.sharedBuffers ?? '128MB'}.\n`,
  );
  const rowsOf = sizes.map(({ table, heap, indexes }) => `${table} ${heap} + ${indexes}`);
  process.stdout.write(`Bytes a row, table + indexes: ${rowsOf.join(', ')}.\n`);
  process.stdout.write(
    `Idle memory of the server ${idleMemory.toFixed(0)} MiB; ${cpus().length} × ${cpus()[0]?.model}.\n`,
  );
}

function sesameEnvironment(databaseUrl: string): Record<string, string> {
  return {
    NODE_ENV: 'production',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    PORT: String(sesamePort),
    METRICS_PORT: String(metricsPort),
    BASE_URL: ISSUER,
    DATABASE_URL: databaseUrl,
    SECRET_KEY,
    TRUSTED_PROXIES: '127.0.0.1',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    ACCESS_TOKEN_TTL: '3600',
  };
}
