// npm run bench:memory: compares the memory and CPU time of V8 flags under mixed load.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatTable } from '../src/cli/run.ts';
import { migrate } from '../src/store/migrate.ts';
import { startEmbeddedPostgres } from '../tools/embedded-postgres.ts';
import { findFreePort } from '../tools/free-port.ts';
import { createFixtures } from './fixtures.ts';
import { type Measurement, measure } from './measure.ts';
import { operations, type Step } from './operations.ts';
import { options } from './options.ts';
import {
  findPostmasterPid,
  readTreeMemory,
  SERVER_FLAGS,
  startNode,
  stopProcess,
  waitUntilReady,
} from './processes.ts';

/** Operations that don't use up prepared data. */
const MIXED_OPERATIONS = [
  'code flow',
  'code flow for an API',
  'pushed request',
  'userinfo, token seen before',
  'sign-in',
];
const SECRET_KEY = 'a key for the benchmark only 0123456789';
const ISSUER = 'https://bench.example';

const folder = mkdtempSync(join(tmpdir(), 'sesame-memory-'));
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
await migrate(postgres.url);
const postgresPid = await findPostmasterPid(postgres.url);
const fixtures = await createFixtures(postgres.url, SECRET_KEY, ISSUER);
const rows: string[][] = [];
try {
  for (let pair = 1; pair <= options.repeats; pair += 1)
    for (const flags of options.flags ?? [SERVER_FLAGS]) {
      const { idle, measured } = await measureServer(flags);
      rows.push([String(pair), flags.join(' ') || 'none', ...formatRow(idle, measured)]);
      process.stderr.write(`${rows.at(-1)?.join(' · ')}\n`);
    }
} finally {
  await fixtures.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(
  formatTable(['pair', 'flags', 'idle MiB', 'loaded MiB', 'peak MiB', 'cpu', 'ops/s'], rows),
);

function formatRow(idle: number, { memory, peak, serverCpu, perSecond }: Measurement & { peak: number }) {
  return [idle.toFixed(0), memory.toFixed(0), peak.toFixed(0), serverCpu.toFixed(2), perSecond.toFixed(0)];
}

async function measureServer(flags: string[]) {
  const [port, metricsPort] = [await findFreePort(), await findFreePort()];
  const environment = {
    NODE_ENV: 'production',
    NODE_COMPILE_CACHE: 'node_modules/.cache/v8',
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    BASE_URL: ISSUER,
    DATABASE_URL: postgres.url,
    SECRET_KEY,
    TRUSTED_PROXIES: '127.0.0.1',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    ACCESS_TOKEN_TTL: '3600',
  };
  const child = startNode('src/server.ts', environment, join(folder, 'server.log'), { flags });
  const pid = child.pid ?? 0;
  try {
    await waitUntilReady(`http://127.0.0.1:${port}/readyz`, child);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const idle = readTreeMemory(pid);
    let peak = idle;
    const sampler = setInterval(() => {
      peak = Math.max(peak, readTreeMemory(pid));
    }, 500);
    const target = {
      origin: `http://127.0.0.1:${port}`,
      pid,
      postgresPid,
      databaseUrl: postgres.url,
      metrics: `http://127.0.0.1:${metricsPort}/metrics`,
    };
    const measured = await measure(target, await prepareMix(), { seconds: options.seconds });
    clearInterval(sampler);
    return { idle, measured: { ...measured, peak } };
  } finally {
    await stopProcess(child);
  }
}

async function prepareMix(): Promise<Step> {
  const steps = await Promise.all(
    operations
      .filter(({ name }) => MIXED_OPERATIONS.includes(name))
      .map(({ prepare }) => prepare(fixtures, 1000)),
  );
  let count = 0;
  return (send, index) => {
    count += 1;
    return (steps[count % steps.length] as Step)(send, index);
  };
}
