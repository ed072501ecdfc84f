// npm run bench: measures operations and baselines in interleaved rounds.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { formatTable } from '../src/cli/run.ts';
import { migrate } from '../src/store/migrate.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../tools/embedded-postgres.ts';
import { findFreePort } from '../tools/free-port.ts';
import { measureRowSizes, type RowSize } from './fill-database.ts';
import { createFixtures, PROVIDER_CLIENT_ID } from './fixtures.ts';
import { HOSTILE_INPUTS, measureHostileInputs } from './hostile/event-loop-stalls.ts';
import { getRampUpSeconds, type Measurement, measure, type Target } from './measure.ts';
import { type Operation, operations } from './operations.ts';
import { exitWithError, options } from './options.ts';
import {
  findPostmasterPid,
  readTreeMemory,
  SERVER_FLAGS,
  startNode,
  stopProcess,
  waitUntilReady,
} from './processes.ts';

const SECRET_KEY = 'a key for the benchmark only 0123456789';
const ISSUER = 'https://bench.example';
const COMPILE_CACHE = 'node_modules/.cache/v8';

interface OperationResult {
  name: string;
  baseline: string | undefined;
  median: Measurement;
  /** Median CPU time divided by the baseline's. */
  ratio: number | undefined;
  roundRatios: number[];
}

const names = [...operations.map(({ name }) => name), HOSTILE_INPUTS];
const unmatchedFilters = options.only.filter((filter) => !names.some((name) => name.includes(filter)));
if (unmatchedFilters.length > 0) exitWithError(`no operation matches ${unmatchedFilters.join(' or ')}`);

const folder = mkdtempSync(join(tmpdir(), 'sesame-bench-'));
const postgres = await startPostgres(join(folder, 'postgres'));
await migrate(postgres.url);
const postgresPid = await findPostmasterPid(postgres.url);
const logFile = join(folder, 'server.log');
// Fills the compile cache, as in the Docker image. Without settings, the service exits with code 78.
const settings = { NODE_ENV: 'production', NODE_COMPILE_CACHE: COMPILE_CACHE };
const { status } = spawnSync(process.execPath, [...SERVER_FLAGS, 'src/server.ts'], { env: settings });
if (status !== 78)
  throw new Error(`While filling the compile cache, the service exited with ${status} instead of 78.`);
const [sesamePort, baselinePort, metricsPort, developmentPort, providerPort] = [
  await findFreePort(),
  await findFreePort(),
  await findFreePort(),
  await findFreePort(),
  await findFreePort(),
];
const serviceProcess = startNode('src/server.ts', buildServiceEnvironment(postgres.url), logFile, {
  flags: SERVER_FLAGS,
});
const baselineProcess = startNode(
  'bench/baseline.ts',
  { DATABASE_URL: postgres.url, PORT: String(baselinePort) },
  logFile,
);
const developmentProcess = startNode(
  'src/server.ts',
  {
    ...buildServiceEnvironment(postgres.url),
    NODE_ENV: 'test',
    PORT: String(developmentPort),
    METRICS_PORT: '',
  },
  logFile,
  { flags: SERVER_FLAGS },
);
const providerProcess = startNode(
  'bench/identity-provider.ts',
  { PORT: String(providerPort), CLIENT_ID: PROVIDER_CLIENT_ID },
  logFile,
);
try {
  await waitUntilReady(`http://127.0.0.1:${developmentPort}/readyz`, developmentProcess);
  await waitUntilReady(`http://127.0.0.1:${providerPort}/keys`, providerProcess);
  await waitUntilReady(`http://127.0.0.1:${sesamePort}/readyz`, serviceProcess);
  await waitUntilReady(`http://127.0.0.1:${baselinePort}/bare`, baselineProcess);
  const idleMemory = readTreeMemory(serviceProcess.pid ?? 0);
  if (operations.some(isSelected)) {
    const { results, sizes } = await run();
    printResults(results, sizes, idleMemory);
    if (options.json !== undefined)
      writeFileSync(options.json, `${JSON.stringify({ options, idleMemory, sizes, results }, null, 2)}\n`);
  }
  // Hostile inputs take a long time, so they run only when selected by name.
  if (options.only.some((filter) => HOSTILE_INPUTS.includes(filter)))
    await measureHostileInputs(postgres.url, SECRET_KEY, logFile);
} catch (error) {
  process.stderr.write(readFileSync(logFile, 'utf8').slice(-3000));
  throw error;
} finally {
  await Promise.all([serviceProcess, baselineProcess, developmentProcess, providerProcess].map(stopProcess));
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

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

async function run(): Promise<{ results: OperationResult[]; sizes: RowSize[] }> {
  const fixtures = await createFixtures(postgres.url, SECRET_KEY, ISSUER);
  await fixtures.addProvider(`http://127.0.0.1:${providerPort}`);
  const sizes = await measureRowSizes(postgres.url);
  const selected = operations.filter(isSelected);
  const rounds = new Map<string, Measurement[]>(selected.map(({ name }) => [name, []]));
  for (let round = options.warmUp.seconds > 0 ? 0 : 1; round <= options.repeats; round += 1)
    for (const operation of selected) {
      const warmUp = round === 0;
      const duration = warmUp ? options.warmUp : { seconds: options.seconds };
      const step = await operation.prepare(fixtures, (duration.seconds + getRampUpSeconds(duration)) * 8000);
      if (warmUp) await analyzeTables();
      const { countInDatabase } = operation;
      const measured = await measure(
        chooseTarget(operation),
        step,
        duration,
        countInDatabase && (() => countInDatabase(fixtures)),
      );
      process.stderr.write(warmUp ? '' : `${operation.name}: ${Math.round(measured.perSecond)}/s\n`);
      if (!warmUp) rounds.get(operation.name)?.push(measured);
    }
  await fixtures.close();

  const results = selected.map(({ name, baseline }) => {
    const measured = rounds.get(name) ?? [];
    const baselineRounds = rounds.get(baseline ?? '') ?? [];
    const median = findMedian(measured);
    const roundRatios = baselineRounds.map(
      (baselineRound, index) => getTotalCpu(measured[index] as Measurement) / getTotalCpu(baselineRound),
    );
    const ratio =
      baselineRounds.length > 0 ? getTotalCpu(median) / getTotalCpu(findMedian(baselineRounds)) : undefined;
    return { name, baseline, median, ratio, roundRatios };
  });
  return { results, sizes };
}

/** Without statistics, PostgreSQL would plan for nearly empty tables. */
async function analyzeTables(): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query('analyze');
  await client.end();
}

function isSelected(operation: Operation): boolean {
  const matchesFilter = ({ name }: Operation) => options.only.some((filter) => name.includes(filter));
  return (
    options.only.length === 0 ||
    matchesFilter(operation) ||
    operations.some((other) => other.baseline === operation.name && matchesFilter(other))
  );
}

function chooseTarget({ server }: Operation): Target {
  const [port, child] = {
    sesame: [sesamePort, serviceProcess] as const,
    baseline: [baselinePort, baselineProcess] as const,
    development: [developmentPort, developmentProcess] as const,
  }[server];
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    postgresPid,
    databaseUrl: postgres.url,
    metrics: server === 'sesame' ? `http://127.0.0.1:${metricsPort}/metrics` : undefined,
  };
}

function getTotalCpu({ serverCpu, postgresCpu }: Measurement): number {
  return serverCpu + postgresCpu;
}

function findMedian(measured: Measurement[]): Measurement {
  const keys = Object.keys(measured[0] ?? {}) as (keyof Measurement)[];
  const medians = keys.map((key) => [key, median(measured.map((measurement) => measurement[key]))]);
  return Object.fromEntries(medians) as unknown as Measurement;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function printResults(results: OperationResult[], sizes: RowSize[], idleMemory: number): void {
  const rows = results.map(({ name, baseline, median: m, ratio, roundRatios }) => [
    name,
    m.serverCpu.toFixed(3),
    m.postgresCpu.toFixed(3),
    getTotalCpu(m).toFixed(3),
    ratio === undefined ? '' : `${ratio.toFixed(2)} × ${baseline}`,
    ratio === undefined
      ? ''
      : `${Math.min(...roundRatios).toFixed(2)}–${Math.max(...roundRatios).toFixed(2)}`,
    String(Math.round(m.perSecond)),
    m.p50.toFixed(1),
    m.p99.toFixed(1),
    baseline === undefined ? '' : m.statements.toFixed(2),
    String(Math.round(m.walBytes)),
    m.memory.toFixed(0),
  ]);
  const headings = [
    ...['operation', 'server', 'postgres', 'cpu', 'ratio', 'rounds'],
    ...['ops/s', 'p50', 'p99', 'stmts', 'WAL', 'MiB'],
  ];
  process.stdout.write(`${formatTable(headings, rows)}\n\n`);
  process.stdout.write(
    `CPU in seconds per 1,000 operations; latencies in milliseconds; ${options.rows} prefilled grants, shared_buffers ${options.sharedBuffers ?? '128MB'}.\n`,
  );
  const sizeTexts = sizes.map(({ table, heap, indexes }) => `${table} ${heap} + ${indexes}`);
  process.stdout.write(`Bytes per row, table + indexes: ${sizeTexts.join(', ')}.\n`);
  process.stdout.write(
    `Memory of the idle server: ${idleMemory.toFixed(0)} MiB. CPUs: ${cpus().length} × ${cpus()[0]?.model}.\n`,
  );
}

function buildServiceEnvironment(databaseUrl: string): Record<string, string> {
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
