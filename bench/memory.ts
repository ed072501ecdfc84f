// npm run bench:memory: resident memory and CPU of the server under a mixed load, for sets of V8 flags in interleaved pairs.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { table } from '../src/cli/run.ts';
import { migrate } from '../src/store/migrate.ts';
import { startEmbeddedPostgres } from '../tools/embedded-postgres.ts';
import { freePort } from '../tools/free-port.ts';
import { type Measurement, measure } from './measure.ts';
import { operations, type Step } from './operations.ts';
import { options } from './options.ts';
import { memoryOfFamily, postmasterPid, SERVER_FLAGS, startNode, stop, untilReady } from './processes.ts';
import { makeWorld } from './world.ts';

/** Operations that can be repeated for as long as needed: none of them uses anything up. */
const MIX = ['code flow', 'code flow for an API', 'pushed request', 'userinfo, token seen before', 'sign-in'];
const SECRET_KEY = 'a key for the benchmark only 0123456789';
const ISSUER = 'https://bench.example';

const folder = mkdtempSync(join(tmpdir(), 'sesame-memory-'));
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
await migrate(postgres.url);
const postgresPid = await postmasterPid(postgres.url);
const world = await makeWorld(postgres.url, SECRET_KEY, ISSUER);
const rows: string[][] = [];
try {
  for (let pair = 1; pair <= options.repeats; pair += 1)
    for (const flags of options.flags ?? [SERVER_FLAGS]) {
      const { idle, measured } = await measureServer(flags);
      rows.push([String(pair), flags.join(' ') || 'none', ...rowOf(idle, measured)]);
      process.stderr.write(`${rows.at(-1)?.join(' · ')}\n`);
    }
} finally {
  await world.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(table(['pair', 'flags', 'idle MiB', 'loaded MiB', 'peak MiB', 'cpu', 'ops/s'], rows));

function rowOf(idle: number, { memory, peak, serverCpu, perSecond }: Measurement & { peak: number }) {
  return [idle.toFixed(0), memory.toFixed(0), peak.toFixed(0), serverCpu.toFixed(2), perSecond.toFixed(0)];
}

async function measureServer(flags: string[]) {
  const [port, metricsPort] = [await freePort(), await freePort()];
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
    await untilReady(`http://127.0.0.1:${port}/readyz`, child);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const idle = memoryOfFamily(pid);
    let peak = idle;
    const watch = setInterval(() => {
      peak = Math.max(peak, memoryOfFamily(pid));
    }, 500);
    const target = {
      origin: `http://127.0.0.1:${port}`,
      pid,
      postgresPid,
      databaseUrl: postgres.url,
      metrics: `http://127.0.0.1:${metricsPort}/metrics`,
    };
    const measured = await measure(target, await mixed(), { seconds: options.seconds });
    clearInterval(watch);
    return { idle, measured: { ...measured, peak } };
  } finally {
    await stop(child);
  }
}

/** The operations in turn. */
async function mixed(): Promise<Step> {
  const steps = await Promise.all(
    operations.filter(({ name }) => MIX.includes(name)).map(({ prepare }) => prepare(world, 1000)),
  );
  let turn = 0;
  return (send, index) => {
    turn += 1;
    return (steps[turn % steps.length] as Step)(send, index);
  };
}
