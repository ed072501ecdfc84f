// The database as the rest of the service sees it: a pool for whatever may wait, pipelined lanes for hot statements.
import pg from 'pg';
import { openLanes } from './lanes.ts';

/** A prepared statement: PostgreSQL parses and plans it once per connection, under its name. */
export interface Statement {
  name: string;
  text: string;
}

export const statement = (name: string, text: string): Statement => ({ name, text });

/** What a store function asks its question of: the database, or a transaction on it. */
export interface Queryable {
  /** Runs one statement on a connection that may wait for locks. */
  query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
}

export interface Database extends Queryable {
  /** Runs one short reading statement on a connection shared with others (pipelined): no waiting for a turn. */
  hotRead<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
  /** The same for one short writing statement. */
  hotWrite<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** No statement of the service may hold a connection longer than this, in milliseconds. */
const STATEMENT_TIMEOUT = 10_000;
const CONNECT_TIMEOUT = 3_000;

/** Reads are answered as fast as they are asked: two connections carry all of them. */
const READ_LANES = 2;
/** A commit waits for the disk, and those behind it on its connection wait too; PostgreSQL flushes several at once. */
const WRITE_LANES = 4;

/**
 * Opens the database. Connections are made when they are needed and again when they are lost; until then a statement
 * fails with what `isUnavailable` recognises.
 * @param onIdleError told about connections that break while nobody uses them
 */
export function openDatabase(
  url: string,
  poolSize: number,
  onIdleError: (error: Error) => void = () => {},
): Database {
  const connection = {
    connectionString: url,
    statement_timeout: STATEMENT_TIMEOUT,
    query_timeout: STATEMENT_TIMEOUT + 2_000,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    application_name: 'sesame',
    keepAlive: true,
  };
  const pool = new pg.Pool({ ...connection, max: poolSize });
  pool.on('error', onIdleError);
  const pipelined = { ...connection, pipeline: true };
  const reads = openLanes(pipelined, READ_LANES, onIdleError);
  const writes = openLanes(pipelined, WRITE_LANES, onIdleError);
  return {
    query: async (statement, values) => (await pool.query({ ...statement, values })).rows,
    hotRead: reads.query,
    hotWrite: writes.query,
    transaction: (work) => runTransaction(pool, work),
    close: async () => {
      await Promise.all([pool.end(), reads.close(), writes.close()]);
    },
  };
}

async function runTransaction<Result>(
  pool: pg.Pool,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: unknown;
  // A connection that breaks between two statements says so by an event, which would end the process if nobody listened.
  const breakIt = (error: Error) => {
    broken = error;
  };
  client.on('error', breakIt);
  try {
    await client.query('begin');
    const result = await work({
      query: async (statement, values) => (await client.query({ ...statement, values })).rows,
    });
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.off('error', breakIt);
    client.release(broken !== undefined);
  }
}

/**
 * Whether an error means that the database is away, shutting down, full or too slow, rather than that the statement
 * is wrong: SQLSTATE classes 08 (connection), 53 (resources), 57 (operator intervention), lock waits, 26000 (the
 * first use of a statement on this connection failed, and this one was already on its way behind it), and the driver's
 * own words for a lost connection, which carry no code.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string')
    return /^(08|53|57)...$|^(26000|55P03|25006|40P01|40001)$|^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_|NOENT|ACCES)|^ENOTFOUND$/.test(
      code,
    );
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  return /^(Connection |Client (was closed|has encountered)|Query read timeout|timeout ex|Cannot use a pool after)/.test(
    error.message,
  );
}
