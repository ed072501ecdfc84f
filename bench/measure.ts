// One measurement: an operation over 32 keep-alive connections for some seconds, its CPU, latencies, statements, WAL, memory.

import pg from 'pg';
import { Pool } from 'undici';
import { type Answer, type Call, OutOfSupply, type Send, type Step } from './operations.ts';
import { cpuOfFamily, memoryOfFamily } from './processes.ts';

const CONNECTIONS = 32;
/** Seconds that are not counted, at most as many as are: connections closed while other operations ran are opened again. */
const RUN_IN = 0.5;
export const runInOf = ({ seconds }: Duration): number => Math.min(RUN_IN, seconds);

export interface Target {
  origin: string;
  pid: number;
  postgresPid: number;
  databaseUrl: string;
  /** Where the service tells its metrics. */
  metrics: string | undefined;
}

export interface Measurement {
  operations: number;
  /** CPU-seconds per 1,000 operations. */
  serverCpu: number;
  postgresCpu: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Sent by the service; 0 for the yardsticks. */
  statements: number;
  walBytes: number;
  /** Resident at the end, in MiB: all processes of the server. */
  memory: number;
}

/** How long to measure: for some seconds, and until so many operations are done. */
interface Duration {
  seconds: number;
  operations?: number;
}

/**
 * Runs an operation for that long, or until what was made for it is used up.
 * @param trace what the database shows of the operations done
 * @throws Error on a wrong answer, or where the database does not show what was answered
 */
export async function measure(
  target: Target,
  run: Step,
  duration: Duration,
  trace?: () => Promise<number>,
): Promise<Measurement> {
  const pool = new Pool(target.origin, { connections: CONNECTIONS, pipelining: 1 });
  const database = new pg.Client({ connectionString: target.databaseUrl });
  await database.connect();
  const send = sender(pool);
  try {
    const shown = await trace?.();
    const runIn = await load(run, send, { seconds: runInOf(duration) });
    const before = { ...(await counters(database, target)), ...cpu(target) };
    const { latencies, elapsed } = await load(run, send, duration);
    const after = { ...cpu(target), ...(await counters(database, target)) };
    const count = latencies.length;
    if (count === 0) throw new Error('nothing was measured: more seconds, or more rows');
    const done = runIn.latencies.length + count;
    const traced = shown === undefined ? done : ((await trace?.()) ?? 0) - shown;
    if (traced !== done) throw new Error(`the database shows ${traced} of ${done} operations`);
    const perOperation = (name: keyof typeof before) => (after[name] - before[name]) / count;
    const at = (share: number) => latencies[Math.floor(share * (count - 1))] ?? 0;
    return {
      operations: count,
      serverCpu: perOperation('serverCpu') * 1000,
      postgresCpu: perOperation('postgresCpu') * 1000,
      perSecond: count / elapsed,
      p50: at(0.5),
      p99: at(0.99),
      statements: perOperation('statements'),
      walBytes: perOperation('walBytes'),
      memory: memoryOfFamily(target.pid),
    };
  } finally {
    await Promise.all([pool.destroy(), database.end()]);
  }
}

/** All connections at work for that long; how long each operation took, in milliseconds, shortest first. */
async function load(
  run: Step,
  send: Send,
  { seconds, operations = 0 }: Duration,
): Promise<{ latencies: number[]; elapsed: number }> {
  const latencies: number[] = [];
  const started = performance.now();
  const end = started + seconds * 1000;
  let usedUp = false;
  const connection = async (_: unknown, index: number): Promise<void> => {
    while (!usedUp && (performance.now() < end || latencies.length < operations)) {
      const from = performance.now();
      try {
        await run(send, index);
      } catch (error) {
        if (!(error instanceof OutOfSupply)) throw error;
        usedUp = true;
        return;
      }
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  const elapsed = (performance.now() - started) / 1000;
  return { latencies: latencies.sort((a, b) => a - b), elapsed };
}

function sender(pool: Pool): Send {
  return async ({ method, path, headers = {}, form }: Call): Promise<Answer> => {
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

const cpu = ({ pid, postgresPid }: Target) => ({
  serverCpu: cpuOfFamily(pid),
  postgresCpu: cpuOfFamily(postgresPid),
});

async function counters(database: pg.Client, { metrics }: Target) {
  const { rows } = await database.query(`select pg_current_wal_insert_lsn() - '0/0' as wal`);
  return {
    statements: metrics === undefined ? 0 : await statementsSent(metrics),
    walBytes: Number(rows[0].wal),
  };
}

/** Statements that the service has sent so far, as its own metrics count them. */
async function statementsSent(metrics: string): Promise<number> {
  const text = await (await fetch(metrics)).text();
  const samples = text.matchAll(/^sesame_database_statements_total\{[^}]*\} (\d+)/gm);
  return [...samples].reduce((sum, [, count]) => sum + Number(count), 0);
}
