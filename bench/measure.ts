// Measures the CPU time, latency, statements, WAL and memory of one operation.

import pg from 'pg';
import { Pool } from 'undici';
import {
  type BenchRequest,
  type BenchResponse,
  DataExhaustedError,
  type Send,
  type Step,
} from './operations.ts';
import { readTreeCpu, readTreeMemory } from './processes.ts';

const CONNECTION_COUNT = 32;
/** During the ramp-up, idle connections reopen, and nothing is measured. */
const RAMP_UP_SECONDS = 0.5;
export const getRampUpSeconds = ({ seconds }: Duration): number => Math.min(RAMP_UP_SECONDS, seconds);

export interface Target {
  origin: string;
  pid: number;
  postgresPid: number;
  databaseUrl: string;
  metrics: string | undefined;
}

export interface Measurement {
  operations: number;
  /** CPU-seconds per 1,000 operations. */
  serverCpu: number;
  postgresCpu: number;
  perSecond: number;
  p50: number; // milliseconds
  p99: number;
  /** SQL statements per operation. 0 for baselines. */
  statements: number;
  walBytes: number;
  memory: number; // MiB, of all server processes
}

/** Minimum seconds and operations of a measurement. */
interface Duration {
  seconds: number;
  operations?: number;
}

/**
 * Measures an operation. Ends early if the prepared data runs out.
 * @param countInDatabase counts completed operations
 * @throws Error if a response is unexpected or the counts differ
 */
export async function measure(
  target: Target,
  run: Step,
  duration: Duration,
  countInDatabase?: () => Promise<number>,
): Promise<Measurement> {
  const pool = new Pool(target.origin, { connections: CONNECTION_COUNT, pipelining: 1 });
  const database = new pg.Client({ connectionString: target.databaseUrl });
  await database.connect();
  const send = createSender(pool);
  try {
    const countBefore = await countInDatabase?.();
    const rampUp = await runOnAllConnections(run, send, { seconds: getRampUpSeconds(duration) });
    const before = { ...(await readCounters(database, target)), ...readCpu(target) };
    const { latencies, elapsed } = await runOnAllConnections(run, send, duration);
    const after = { ...readCpu(target), ...(await readCounters(database, target)) };
    const count = latencies.length;
    if (count === 0) throw new Error('No operation was measured. Increase --seconds or --rows.');
    const completed = rampUp.latencies.length + count;
    const inDatabase =
      countBefore === undefined ? completed : ((await countInDatabase?.()) ?? 0) - countBefore;
    if (inDatabase !== completed)
      throw new Error(`The database contains ${inDatabase} of ${completed} operations.`);
    const perOperation = (name: keyof typeof before) => (after[name] - before[name]) / count;
    const percentile = (fraction: number) => latencies[Math.floor(fraction * (count - 1))] ?? 0;
    return {
      operations: count,
      serverCpu: perOperation('serverCpu') * 1000,
      postgresCpu: perOperation('postgresCpu') * 1000,
      perSecond: count / elapsed,
      p50: percentile(0.5),
      p99: percentile(0.99),
      statements: perOperation('statements'),
      walBytes: perOperation('walBytes'),
      memory: readTreeMemory(target.pid),
    };
  } finally {
    await Promise.all([pool.destroy(), database.end()]);
  }
}

/** @returns ascending latencies in milliseconds */
async function runOnAllConnections(
  run: Step,
  send: Send,
  { seconds, operations = 0 }: Duration,
): Promise<{ latencies: number[]; elapsed: number }> {
  const latencies: number[] = [];
  const started = performance.now();
  const end = started + seconds * 1000;
  let isExhausted = false;
  const worker = async (_: unknown, index: number): Promise<void> => {
    while (!isExhausted && (performance.now() < end || latencies.length < operations)) {
      const startedAt = performance.now();
      try {
        await run(send, index);
      } catch (error) {
        if (!(error instanceof DataExhaustedError)) throw error;
        isExhausted = true;
        return;
      }
      latencies.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: CONNECTION_COUNT }, worker));
  const elapsed = (performance.now() - started) / 1000;
  return { latencies: latencies.sort((a, b) => a - b), elapsed };
}

function createSender(pool: Pool): Send {
  return async ({ method, path, headers = {}, form }: BenchRequest): Promise<BenchResponse> => {
    const response = await pool.request({
      method,
      path,
      headers: {
        'x-forwarded-proto': 'https',
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(form && { body: new URLSearchParams(form).toString() }),
    });
    return { status: response.statusCode, headers: response.headers, body: await response.body.text() };
  };
}

const readCpu = ({ pid, postgresPid }: Target) => ({
  serverCpu: readTreeCpu(pid),
  postgresCpu: readTreeCpu(postgresPid),
});

async function readCounters(database: pg.Client, { metrics }: Target) {
  const { rows } = await database.query(`select pg_current_wal_insert_lsn() - '0/0' as wal`);
  return {
    statements: metrics === undefined ? 0 : await readStatementCount(metrics),
    walBytes: Number(rows[0].wal),
  };
}

async function readStatementCount(metrics: string): Promise<number> {
  const text = await (await fetch(metrics)).text();
  const samples = text.matchAll(/^sesame_database_statements_total\{[^}]*\} (\d+)/gm);
  return [...samples].reduce((sum, [, count]) => sum + Number(count), 0);
}
