// The database as the rest of the service sees it: a pool for whatever may wait, pipelined lanes for hot statements.
import pg from 'pg';
import { type Lanes, openLanes } from './lanes.ts';

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
  /** Runs one short statement on a connection shared with others (pipelined): one round trip, no waiting for a turn. */
  hot<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** No statement of the service may hold a connection longer than this, in milliseconds. */
const STATEMENT_TIMEOUT = 10_000;
const CONNECT_TIMEOUT = 3_000;

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
  const lanes: Lanes = openLanes({ ...connection, pipeline: true }, onIdleError);
  return {
    query: async (statement, values) => (await pool.query({ ...statement, values })).rows,
    hot: (statement, values) => lanes.query(statement, values),
    transaction: (work) => runTransaction(pool, work),
    close: async () => {
      await Promise.all([pool.end(), lanes.close()]);
    },
  };
}

async function runTransaction<Result>(
  pool: pg.Pool,
  work: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: unknown;
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
    client.release(broken !== undefined);
  }
}

/**
 * Whether an error means that the database is away, shutting down, full or too slow, rather than that the statement
 * is wrong: SQLSTATE classes 08 (connection), 53 (resources), 57 (operator intervention), lock waits, and the
 * driver's own words for a lost connection, which carry no code.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string')
    return /^(08|53|57)...$|^(55P03|25006|40P01|40001)$|^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_|NOENT|ACCES)|^ENOTFOUND$/.test(
      code,
    );
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  return /timeout|terminated|closed|not queryable|Connection|ending/i.test(error.message);
}
