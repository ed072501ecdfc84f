// Opens the database: a pool for transactions, and connections that batch hot statements.
import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { openBatching } from './batching/batching.ts';
import { DatabaseClient } from './connection.ts';
import { orderValues, type Statement, type Values } from './statement.ts';

export interface Queryable {
  query<Row extends pg.QueryResultRow>(statement: Statement, values: Values): Promise<Row[]>;
}

interface DatabaseUsage {
  pool: { total: number; idle: number; waiting: number; limit: number };
  hot: { read: number; write: number };
  statements: ReadonlyMap<string, number>;
}

export interface Database extends Queryable {
  /** Batches the statement with others (batching/README.md). */
  hotRead<Row extends pg.QueryResultRow>(statement: Statement, values: Values): Promise<Row[]>;
  hotWrite<Row extends pg.QueryResultRow>(statement: Statement, values: Values): Promise<Row[]>;
  /** Rolls back if `work` throws or calls `rollback`. Retries deadlocks, so `work` must have no other side effects. */
  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result>;
  usage(): DatabaseUsage;
  close(): Promise<void>;
}

class Rollback extends Error {
  readonly value: unknown;
  constructor(value: unknown) {
    super('rollback() was called outside of a transaction');
    this.value = value;
  }
}

/** Rolls back the current transaction, which resolves to `value`. */
export function rollback<const Value>(value: Value): Value {
  throw new Rollback(value);
}

/** In milliseconds. */
const STATEMENT_TIMEOUT = 10_000;
/** How long to wait for a connection, in milliseconds. */
const CONNECT_TIMEOUT = 3_000;
/** How long a pool statement waits for a lock, in milliseconds. */
const POOL_LOCK_TIMEOUT = 2_000;

// The second and later connections are used while batches are slow. Writes have more connections because commits wait
// for the disk.
const READ_BATCHING = { connections: 2, lockTimeout: 500 };
const WRITE_BATCHING = { connections: 4, lockTimeout: 2_000 };

export interface DatabaseOptions {
  /** Must be false behind a pooler that doesn't support prepared statements. */
  prepare?: boolean;
  withoutTimeouts?: boolean;
}

type ToQuery = (statement: Statement, values: Values) => pg.QueryConfig<unknown[]>;

/**
 * Opens connections on demand. If a connection breaks, `isUnavailable` recognizes the error.
 * @param onIdleError called if an idle connection breaks
 */
export function openDatabase(
  url: string,
  poolSize: number,
  onIdleError: (error: Error) => void = () => {},
  { prepare = true, withoutTimeouts = false }: DatabaseOptions = {},
): Database {
  const connection = {
    connectionString: url,
    ...(!withoutTimeouts && {
      statement_timeout: STATEMENT_TIMEOUT,
      query_timeout: STATEMENT_TIMEOUT + 2_000,
    }),
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    application_name: 'sesame',
    keepAlive: true,
  };
  const pool = new pg.Pool({
    ...connection,
    Client: DatabaseClient,
    ...(!withoutTimeouts && { lock_timeout: POOL_LOCK_TIMEOUT }),
    max: poolSize,
  });
  pool.on('error', onIdleError);
  const toQuery: ToQuery = (statement, values) => ({
    ...(prepare && { name: statement.name }),
    text: statement.text,
    values: orderValues(statement, values),
  });
  const reads = openBatching(connection, { ...READ_BATCHING, prepare }, onIdleError);
  const writes = openBatching(connection, { ...WRITE_BATCHING, prepare }, onIdleError);
  const sent = new Map<string, number>();
  const countStatement = ({ name }: Statement) => {
    sent.set(name, (sent.get(name) ?? 0) + 1);
  };
  return {
    query: async (statement, values) => {
      countStatement(statement);
      return (await retryDeadlock(() => pool.query(toQuery(statement, values)))).rows;
    },
    hotRead: (statement, values) => {
      countStatement(statement);
      return reads.query(statement, orderValues(statement, values));
    },
    hotWrite: (statement, values) => {
      countStatement(statement);
      return writes.query(statement, orderValues(statement, values));
    },
    transaction: (work) => retryDeadlock(() => runTransaction(pool, work, toQuery, countStatement)),
    usage: () => ({
      pool: { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount, limit: poolSize },
      hot: { read: reads.countUnfinished(), write: writes.countUnfinished() },
      statements: sent,
    }),
    close: async () => {
      await Promise.all([pool.end(), reads.close(), writes.close()]);
    },
  };
}

/** Citus needs `sequential` in transactions that use several shards and a reference table. */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT + 2_000};
  set local citus.multi_shard_modify_mode = 'sequential'`;

/** Bounds for the pause before each retry, in milliseconds. */
const DEADLOCK_PAUSES = [
  [50, 100],
  [100, 300],
] as const;

/** A deadlock (40P01) can be retried because PostgreSQL has rolled back the transaction. */
async function retryDeadlock<Result>(run: () => Promise<Result>): Promise<Result> {
  for (const [min, max] of DEADLOCK_PAUSES)
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Error) || (error as { code?: unknown }).code !== '40P01') throw error;
      await setTimeout(randomInt(min, max));
    }
  return run();
}

async function runTransaction<Result>(
  pool: pg.Pool,
  work: (transaction: Queryable) => Promise<Result>,
  asQuery: ToQuery,
  countStatement: (statement: Statement) => void,
): Promise<Result> {
  const client = await pool.connect();
  let broken: unknown;
  // An unhandled `error` event would crash the process.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  // On a broken connection, each statement would fail only after a timeout.
  const send = async (query: pg.QueryConfig<unknown[]>) => {
    if (broken !== undefined) throw broken;
    return client.query(query).catch((error) => {
      if (isReadTimeout(error) || isOutdatedStatementError(error)) broken = error;
      throw error;
    });
  };
  try {
    await send({ text: BEGIN });
    const result = await work({
      query: async (statement, values) => {
        countStatement(statement);
        return (await send(asQuery(statement, values))).rows;
      },
    });
    await send({ text: 'commit' });
    return result;
  } catch (error) {
    // If the rollback fails, the connection is closed, which also makes PostgreSQL roll back.
    await send({ text: 'rollback' }).catch((failure) => {
      broken = failure;
    });
    if (error instanceof Rollback) return error.value as Result;
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken !== undefined);
  }
}

/** The driver sets no error code for read timeouts. */
const isReadTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Query read timeout';

/** Codes for a schema change (0A000) and a deallocated prepared statement (26000). */
const isOutdatedStatementError = (error: unknown): boolean =>
  error instanceof Error && /^(0A000|26000)$/.test(String((error as { code?: unknown }).code));

export const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === '23503';

/**
 * Whether an error is probably temporary. Includes SQLSTATE classes 08 (connection), 53 (resources) and 57
 * (intervention).
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string')
    return /^(08|53|57)...$|^(26000|55P03|25P0[34]|25006|40P01|40001)$|^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_|NOENT|ACCES)|^ENOTFOUND$/.test(
      code,
    );
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  return /^(Connection |Client (was closed|has encountered)|Query read timeout|timeout ex|Cannot use a pool after)/.test(
    error.message,
  );
}
