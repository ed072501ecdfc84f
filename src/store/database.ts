// The database: a pool for statements that may wait, and batches for hot ones.
import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { openBatching } from './batching/batching.ts';
import { Client } from './connection.ts';
import { inOrder, type Statement, type Values } from './statement.ts';

/** What a store function asks its question of: the database, or a transaction on it. */
export interface Queryable {
  /** Runs one statement on a connection that may wait for locks. */
  query<Row extends pg.QueryResultRow>(statement: Statement, values: Values): Promise<Row[]>;
}

/** What the database is used for right now, and how often each statement was sent since the start. */
interface DatabaseUsage {
  /** `waiting` is how many wait for one of the `limit` connections. */
  pool: { total: number; idle: number; waiting: number; limit: number };
  hot: { read: number; write: number };
  statements: ReadonlyMap<string, number>;
}

export interface Database extends Queryable {
  /** Runs one short reading statement together with others: what is asked at the same time goes out at once. */
  hotRead<Row extends pg.QueryResultRow>(statement: Statement, values: Values): Promise<Row[]>;
  /** The same for one short writing statement. */
  hotWrite<Row extends pg.QueryResultRow>(statement: Statement, values: Values): Promise<Row[]>;
  /**
   * Runs `work` in one transaction, which is rolled back if it throws or calls `rollback`. After a deadlock it runs
   * again, at most twice, so `work` must change nothing but the database.
   */
  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result>;
  usage(): DatabaseUsage;
  close(): Promise<void>;
}

/** Ends the work of a transaction early. */
class Rollback extends Error {
  readonly value: unknown;
  constructor(value: unknown) {
    super('rollback outside of a transaction');
    this.value = value;
  }
}

/** Undoes the transaction whose work calls it, and makes `value` its result: `return rollback('taken')`. */
export function rollback<const Value>(value: Value): Value {
  throw new Rollback(value);
}

/** No statement of the service may hold a connection longer than this, in milliseconds. */
const STATEMENT_TIMEOUT = 10_000;
const CONNECT_TIMEOUT = 3_000;
/** Nor may it wait longer for a lock. With the wait for a connection before it, who meets a locked table knows in 5 s. */
const POOL_LOCK_TIMEOUT = 2_000;

// Batches use one connection, the others pass a slow batch. A commit waits for the disk, so writes have more of them.
const READS = { connections: 2, lockTimeout: 500 };
const WRITES = { connections: 4, lockTimeout: 2_000 };

export interface DatabaseOptions {
  /** Prepares statements by name. False for a pooler that doesn't support it. */
  prepare?: boolean;
  /** Statements may take as long as they need: for an operator's commands. */
  patient?: boolean;
}

/** Turns a statement into what the driver sends. */
type AsQuery = (statement: Statement, values: Values) => pg.QueryConfig<unknown[]>;

/**
 * Opens the database. Connections are made on demand; a lost one fails its statement with what `isUnavailable` recognizes.
 * @param onIdleError called for connections that break while idle
 */
export function openDatabase(
  url: string,
  poolSize: number,
  onIdleError: (error: Error) => void = () => {},
  { prepare = true, patient = false }: DatabaseOptions = {},
): Database {
  const connection = {
    connectionString: url,
    ...(!patient && { statement_timeout: STATEMENT_TIMEOUT, query_timeout: STATEMENT_TIMEOUT + 2_000 }),
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    application_name: 'sesame',
    keepAlive: true,
  };
  const pool = new pg.Pool({
    ...connection,
    Client,
    ...(!patient && { lock_timeout: POOL_LOCK_TIMEOUT }),
    max: poolSize,
  });
  pool.on('error', onIdleError);
  const asQuery: AsQuery = (statement, values) => ({
    ...(prepare && { name: statement.name }),
    text: statement.text,
    values: inOrder(statement, values),
  });
  const reads = openBatching(connection, { ...READS, prepare }, onIdleError);
  const writes = openBatching(connection, { ...WRITES, prepare }, onIdleError);
  const sent = new Map<string, number>();
  const count = ({ name }: Statement) => {
    sent.set(name, (sent.get(name) ?? 0) + 1);
  };
  return {
    query: async (statement, values) => {
      count(statement);
      return (await retryDeadlock(() => pool.query(asQuery(statement, values)))).rows;
    },
    hotRead: (statement, values) => {
      count(statement);
      return reads.query(statement, inOrder(statement, values));
    },
    hotWrite: (statement, values) => {
      count(statement);
      return writes.query(statement, inOrder(statement, values));
    },
    transaction: (work) => retryDeadlock(() => runTransaction(pool, work, asQuery, count)),
    usage: () => ({
      pool: { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount, limit: poolSize },
      hot: { read: reads.inFlight(), write: writes.inFlight() },
      statements: sent,
    }),
    close: async () => {
      await Promise.all([pool.end(), reads.close(), writes.close()]);
    },
  };
}

/**
 * On Citus, a transaction that asked several shards may change a reference table only if it used one connection per node. Elsewhere
 * the second setting has no effect.
 */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT + 2_000};
  set local citus.multi_shard_modify_mode = 'sequential'`;

/** Shortest and longest pause before each retry, in milliseconds, so that the other transactions get their locks first. */
const DEADLOCK_PAUSES = [
  [50, 100],
  [100, 300],
] as const;

/** Runs a transaction again if PostgreSQL ended it to resolve a deadlock (40P01): nothing of it has been done. */
async function retryDeadlock<Result>(run: () => Promise<Result>): Promise<Result> {
  for (const [shortest, longest] of DEADLOCK_PAUSES)
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Error) || (error as { code?: unknown }).code !== '40P01') throw error;
      await setTimeout(randomInt(shortest, longest));
    }
  return run();
}

async function runTransaction<Result>(
  pool: pg.Pool,
  work: (transaction: Queryable) => Promise<Result>,
  asQuery: AsQuery,
  count: (statement: Statement) => void,
): Promise<Result> {
  const client = await pool.connect();
  let broken: unknown;
  // A connection that breaks between two statements says so by an event, which would end the process if nobody listened.
  const breakIt = (error: Error) => {
    broken = error;
  };
  client.on('error', breakIt);
  // What is broken stays broken: on a connection that fell silent every further statement would wait as long again.
  const ask = async (query: pg.QueryConfig<unknown[]>) => {
    if (broken !== undefined) throw broken;
    return client.query(query).catch((error) => {
      if (isReadTimeout(error) || isOutdated(error)) broken = error;
      throw error;
    });
  };
  try {
    await ask({ text: BEGIN });
    const result = await work({
      query: async (statement, values) => {
        count(statement);
        return (await ask(asQuery(statement, values))).rows;
      },
    });
    await ask({ text: 'commit' });
    return result;
  } catch (error) {
    // Closing a connection rolls back, too.
    await ask({ text: 'rollback' }).catch((failure) => {
      broken = failure;
    });
    if (error instanceof Rollback) return error.value as Result;
    throw error;
  } finally {
    client.off('error', breakIt);
    client.release(broken !== undefined);
  }
}

/** The driver's word for an answer that did not come. */
const isReadTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Query read timeout';

/** What the connection has prepared does not fit the tables any more, or somebody has thrown it away: it never will again. */
const isOutdated = (error: unknown): boolean =>
  error instanceof Error && /^(0A000|26000)$/.test(String((error as { code?: unknown }).code));

/** Whether what a row belongs to (an account, an application) was deleted at that moment: asked again, it is not found. */
export const isOutrun = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === '23503';

/**
 * Whether an error means that the database is unavailable: SQLSTATE classes 08 (connection), 53 (resources) and 57 (operator
 * intervention), lock waits, 26000 (an earlier use of a statement failed to prepare it), or a lost connection.
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
