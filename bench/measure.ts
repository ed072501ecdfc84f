// One measurement: an operation over 32 keep-alive connections for some seconds, its CPU, latencies, transactions and WAL.

import pg from 'pg';
import { Pool } from 'undici';
import { type Answer, type Call, OutOfSupply, type Send } from './operations.ts';
import { cpuOfFamily } from './processes.ts';

const CONNECTIONS = 32;

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
}

/** Runs an operation for `seconds`, or until what was made for it is used up. @throws Error on a wrong answer */
export async function measure(
  target: Target,
  run: (send: Send, connection: number) => Promise<void>,
  seconds: number,
): Promise<Measurement> {
  const pool = new Pool(target.origin, { connections: CONNECTIONS, pipelining: 1 });
  const database = new pg.Client({ connectionString: target.databaseUrl });
  await database.connect();
  const latencies: number[] = [];
  const send = sender(pool);
  const before = await counters(database, target);
  const cpuBefore = cpu(target);
  const started = performance.now();
  const end = started + seconds * 1000;
  let usedUp = false;

  const connection = async (_: unknown, index: number): Promise<void> => {
    while (!usedUp && performance.now() < end) {
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
  const close = () => Promise.all([pool.destroy(), database.end()]);
  await Promise.all(Array.from({ length: CONNECTIONS }, connection)).catch(async (error) => {
    await close();
    throw error;
  });
  const elapsed = (performance.now() - started) / 1000;
  const cpuAfter = cpu(target);
  const after = await counters(database, target);
  await close();

  const count = latencies.length;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(share * (count - 1))] ?? 0;
  return {
    operations: count,
    serverCpu: ((cpuAfter.server - cpuBefore.server) / count) * 1000,
    postgresCpu: ((cpuAfter.postgres - cpuBefore.postgres) / count) * 1000,
    perSecond: count / elapsed,
    p50: at(0.5),
    p99: at(0.99),
    statements: (after.statements - before.statements) / count,
    walBytes: (after.wal - before.wal) / count,
  };
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
  server: cpuOfFamily(pid),
  postgres: cpuOfFamily(postgresPid),
});

async function counters(
  database: pg.Client,
  { metrics }: Target,
): Promise<{ statements: number; wal: number }> {
  const { rows } = await database.query(`select pg_current_wal_insert_lsn() - '0/0' as wal`);
  return { statements: metrics === undefined ? 0 : await statementsSent(metrics), wal: Number(rows[0].wal) };
}

/** Statements that the service has sent so far, as its own metrics count them. */
async function statementsSent(metrics: string): Promise<number> {
  const text = await (await fetch(metrics)).text();
  const samples = text.matchAll(/^sesame_database_statements_total\{[^}]*\} (\d+)/gm);
  return [...samples].reduce((sum, [, count]) => sum + Number(count), 0);
}
