// One measurement: an operation over 32 keep-alive connections for some seconds, its CPU, latencies, transactions and WAL.

import pg from 'pg';
import { Pool } from 'undici';
import { type Answer, type Call, OutOfSupply, type Send } from './operations.ts';
import { cpuOf, cpuOfFamily } from './processes.ts';

const CONNECTIONS = 32;

export interface Target {
  origin: string;
  pid: number;
  postgresPid: number;
  databaseUrl: string;
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
  transactions: number;
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
  const before = await counters(database);
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
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  const elapsed = (performance.now() - started) / 1000;
  const cpuAfter = cpu(target);
  const after = await counters(database);
  await Promise.all([pool.close(), database.end()]);

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
    transactions: (after.transactions - before.transactions) / count,
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
  server: cpuOf(pid),
  postgres: cpuOfFamily(postgresPid),
});

async function counters(database: pg.Client): Promise<{ transactions: number; wal: number }> {
  // Sessions report their counts when they have been idle for a moment.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const { rows } = await database.query(
    `select xact_commit + xact_rollback as transactions, pg_current_wal_insert_lsn() - '0/0' as wal
    from pg_stat_database where datname = current_database()`,
  );
  return { transactions: Number(rows[0].transactions), wal: Number(rows[0].wal) };
}
