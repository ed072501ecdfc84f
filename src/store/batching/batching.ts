// Statement batching: sends the hot statements of many requests together, over a few connections.
import type { Socket } from 'node:net';
import type pg from 'pg';
import { Client } from '../connection.ts';
import type { Statement } from '../statement.ts';
import { type Pending, type Prepared, parameterOf, sendBatch } from './batch.ts';

/** Maximum statements in a batch. Each holds its locks until the last one is done. */
const MAX_BATCH = 50;
/** Milliseconds after which the next batch takes another connection instead of waiting for the one under way. */
const PATIENCE = 10;
/** Milliseconds that a statement may wait for a free connection. */
const QUEUE_TIMEOUT = 5_000;
/** Milliseconds without another attempt to open a further connection after one was refused. */
const CONNECT_PAUSE = 1_000;

const LOCK_NOT_AVAILABLE = '55P03';
/**
 * SQLSTATEs after which a statement is sent once more: a deadlock, which two batches can cause, and a prepared statement
 * that a migration has outdated or that was deallocated.
 */
const RETRIED = new Set(['40P01', '0A000', '26000']);

export interface BatchingOptions {
  /** Maximum number of connections. */
  connections: number;
  /** Milliseconds that a statement may wait for a lock. */
  lockTimeout: number;
  /** Whether statements are prepared by name. */
  prepare: boolean;
}

export interface Batching {
  query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
  /** Number of statements without an answer. */
  inFlight(): number;
  /** Answers what was asked before, then ends the connections. */
  close(): Promise<void>;
}

interface Connection {
  client: pg.Client;
  prepared: Prepared | undefined;
  isOpen: boolean;
  /** The batch under way; undefined: the connection is idle. */
  batch: Pending[] | undefined;
  /** When the batch was sent, by `performance.now()`. */
  since: number;
}

/** @param onIdleError called when a connection breaks */
export function openBatching(
  config: pg.ClientConfig,
  { connections: maxConnections, lockTimeout, prepare }: BatchingOptions,
  onIdleError: (error: Error) => void,
): Batching {
  const connections: Connection[] = [];
  let queue: Pending[] = [];
  let isScheduled = false;
  let timer: NodeJS.Timeout | undefined;
  let connectAgainAt = 0;
  let isClosed = false;
  let onIdle: (() => void) | undefined;

  const inFlight = () => connections.reduce((sum, { batch }) => sum + (batch?.length ?? 0), queue.length);

  /** Dispatches at the end of this turn of the event loop, so that all it asks goes out together. */
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      dispatch();
    });
  };

  const dispatch = () => {
    rejectStale();
    while (queue.length > 0) {
      const now = performance.now();
      const isBusy = connections.some(({ batch, since }) => batch !== undefined && now - since < PATIENCE);
      const idle = connections.find(({ isOpen, batch }) => isOpen && batch === undefined);
      if (isBusy || idle === undefined) {
        if (!isBusy) connectAnother(now);
        timer ??= setTimeout(() => {
          timer = undefined;
          dispatch();
        }, PATIENCE);
        return;
      }
      void run(idle, takeBatch(), now);
    }
    if (inFlight() === 0) onIdle?.();
  };

  const rejectStale = () => {
    const before = performance.now() - QUEUE_TIMEOUT;
    if ((queue[0]?.since ?? before) >= before) return;
    queue = queue.filter(({ since, reject }) => since > before || reject(new Error('Connection busy')));
  };

  const takeBatch = (): Pending[] => {
    if (queue[0]?.isAlone === true) return queue.splice(0, 1);
    const end = queue.findIndex(({ isAlone }) => isAlone);
    return queue.splice(0, Math.min(end < 0 ? queue.length : end, MAX_BATCH));
  };

  const run = async (connection: Connection, batch: Pending[], now: number) => {
    connection.batch = batch;
    connection.since = now;
    const result = await sendBatch(connection.client, batch, connection.prepared);
    connection.batch = undefined;
    if ('rows' in result)
      for (const [index, { resolve }] of batch.entries()) resolve(result.rows[index] ?? []);
    else if (result.index === undefined || !connection.isOpen) {
      drop(connection);
      for (const { reject } of batch) reject(result.error);
    } else requeue(batch, result.index, result.error);
    schedule();
  };

  /** Nothing of the batch was applied: rejects the statement that failed, and sends each of the others again, alone. */
  const requeue = (batch: Pending[], index: number, error: Error & { code?: string }) => {
    const { statement, isAlone } = batch[index] as Pending;
    const isRejected = (pending: Pending, at: number) =>
      error.code === LOCK_NOT_AVAILABLE
        ? at >= index && pending.statement.name === statement.name // would wait for the same lock as long
        : at === index && (isAlone || !RETRIED.has(error.code ?? ''));
    const others: Pending[] = [];
    for (const [at, pending] of batch.entries())
      if (isRejected(pending, at)) pending.reject(error);
      else others.push(Object.assign(pending, { isAlone: true }));
    queue = [...others, ...queue];
  };

  const connectAnother = (now: number) => {
    const isConnecting = connections.some(({ isOpen }) => !isOpen);
    if (isConnecting || connections.length === maxConnections) return;
    if (connections.length > 0 && now < connectAgainAt) return;
    const client = new Client({ ...config, lock_timeout: lockTimeout });
    const prepared: Prepared | undefined = prepare ? new Map() : undefined;
    const connection: Connection = { client, prepared, isOpen: false, batch: undefined, since: 0 };
    connections.push(connection);
    client.on('end', () => drop(connection));
    client.on('error', (error) => {
      drop(connection);
      onIdleError(error);
    });
    client.connect().then(
      () => {
        connection.isOpen = true;
        schedule();
      },
      (error) => {
        drop(connection);
        connectAgainAt = performance.now() + CONNECT_PAUSE;
        if (connections.length === 0) for (const { reject } of queue.splice(0)) reject(error);
      },
    );
  };

  /** Ends a connection at once. Its batch, if any, fails with it; PostgreSQL still executes what it has received. */
  const drop = (connection: Connection) => {
    connection.isOpen = false;
    const index = connections.indexOf(connection);
    if (index < 0) return;
    connections.splice(index, 1);
    (connection.client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
    schedule();
  };

  return {
    query: <Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]) =>
      new Promise<Row[]>((resolve, reject) => {
        if (isClosed) throw new Error('Connection closed');
        const parameters = values.map(parameterOf); // fails here, before it is part of a batch
        const since = performance.now();
        queue.push({
          statement,
          parameters,
          resolve: resolve as Pending['resolve'],
          reject,
          since,
          isAlone: false,
        });
        schedule();
      }),
    inFlight,
    async close() {
      isClosed = true;
      if (inFlight() > 0)
        await new Promise<void>((resolve) => {
          onIdle = resolve;
        });
      clearTimeout(timer);
      await Promise.all(connections.map(({ client }) => client.end().catch(() => {})));
    },
  };
}
