// Sends statements from many requests in batches over a few connections.
import type { Socket } from 'node:net';
import type pg from 'pg';
import { DatabaseClient } from '../connection.ts';
import type { Statement } from '../statement.ts';
import { encodeParameter, type PendingStatement, type PreparedStatements, sendBatch } from './batch.ts';

/** Maximum number of statements per batch. Larger batches hold their locks too long. */
const MAX_BATCH_SIZE = 50;
/** If a batch takes longer than this many milliseconds, the next one is sent over another connection. */
const SLOW_BATCH_THRESHOLD = 10;
/** How long a statement waits for a connection, in milliseconds. */
const QUEUE_TIMEOUT = 5_000;
/** Pause after a failed connection attempt, in milliseconds. */
const RECONNECT_DELAY = 1_000;

const LOCK_NOT_AVAILABLE = '55P03';
/** SQLSTATEs that are retried once: deadlock, outdated prepared statement, deallocated prepared statement. */
const RETRIED_SQLSTATES = new Set(['40P01', '0A000', '26000']);

export interface BatchingOptions {
  connections: number;
  /** How long a statement waits for a lock, in milliseconds. */
  lockTimeout: number;
  prepare: boolean;
}

export interface Batching {
  query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
  countUnfinished(): number;
  close(): Promise<void>;
}

interface Connection {
  client: pg.Client;
  prepared: PreparedStatements | undefined;
  isOpen: boolean;
  batch: PendingStatement[] | undefined;
  sentAt: number;
}

/**
 * Opens batching connections on demand.
 * @param onIdleError called if a connection breaks
 */
export function openBatching(
  config: pg.ClientConfig,
  { connections: maxConnections, lockTimeout, prepare }: BatchingOptions,
  onIdleError: (error: Error) => void,
): Batching {
  const connections: Connection[] = [];
  let queue: PendingStatement[] = [];
  let isScheduled = false;
  let timer: NodeJS.Timeout | undefined;
  let nextConnectAt = 0;
  let isClosed = false;
  let onDrained: (() => void) | undefined;

  const countUnfinished = () =>
    connections.reduce((sum, { batch }) => sum + (batch?.length ?? 0), queue.length);

  /** Statements that are queued in the same event loop iteration share a batch. */
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      dispatch();
    });
  };

  const dispatch = () => {
    rejectTimedOut();
    while (queue.length > 0) {
      const now = performance.now();
      const isBusy = connections.some(
        ({ batch, sentAt }) => batch !== undefined && now - sentAt < SLOW_BATCH_THRESHOLD,
      );
      const idle = connections.find(({ isOpen, batch }) => isOpen && batch === undefined);
      if (isBusy || idle === undefined) {
        if (!isBusy) addConnection(now);
        timer ??= setTimeout(() => {
          timer = undefined;
          dispatch();
        }, SLOW_BATCH_THRESHOLD);
        return;
      }
      void runBatch(idle, takeBatch(), now);
    }
    if (countUnfinished() === 0) onDrained?.();
  };

  const rejectTimedOut = () => {
    const cutoff = performance.now() - QUEUE_TIMEOUT;
    if ((queue[0]?.queuedAt ?? cutoff) >= cutoff) return;
    queue = queue.filter(
      // `isUnavailable` matches the start of this message.
      ({ queuedAt, reject }) => queuedAt > cutoff || reject(new Error('Connection wait timed out')),
    );
  };

  const takeBatch = (): PendingStatement[] => {
    if (queue[0]?.isSeparate === true) return queue.splice(0, 1);
    const end = queue.findIndex(({ isSeparate }) => isSeparate);
    return queue.splice(0, Math.min(end < 0 ? queue.length : end, MAX_BATCH_SIZE));
  };

  const runBatch = async (connection: Connection, batch: PendingStatement[], now: number) => {
    connection.batch = batch;
    connection.sentAt = now;
    const result = await sendBatch(connection.client, batch, connection.prepared);
    connection.batch = undefined;
    if ('rows' in result)
      for (const [index, { resolve }] of batch.entries()) resolve(result.rows[index] ?? []);
    else if (result.index === undefined || !connection.isOpen) {
      dropConnection(connection);
      for (const { reject } of batch) reject(result.error);
    } else requeue(batch, result.index, result.error);
    schedule();
  };

  const requeue = (batch: PendingStatement[], failedIndex: number, error: Error & { code?: string }) => {
    const { statement, isSeparate } = batch[failedIndex] as PendingStatement;
    // After a lock timeout, later statements with the same name would wait for the same lock.
    const shouldReject = (pending: PendingStatement, index: number) =>
      error.code === LOCK_NOT_AVAILABLE
        ? index >= failedIndex && pending.statement.name === statement.name
        : index === failedIndex && (isSeparate || !RETRIED_SQLSTATES.has(error.code ?? ''));
    const requeued: PendingStatement[] = [];
    for (const [index, pending] of batch.entries())
      if (shouldReject(pending, index)) pending.reject(error);
      else requeued.push(Object.assign(pending, { isSeparate: true }));
    queue = [...requeued, ...queue];
  };

  const addConnection = (now: number) => {
    const isConnecting = connections.some(({ isOpen }) => !isOpen);
    if (isConnecting || connections.length === maxConnections) return;
    if (connections.length > 0 && now < nextConnectAt) return;
    const client = new DatabaseClient({ ...config, lock_timeout: lockTimeout });
    const prepared: PreparedStatements | undefined = prepare ? new Map() : undefined;
    const connection: Connection = { client, prepared, isOpen: false, batch: undefined, sentAt: 0 };
    connections.push(connection);
    client.on('end', () => dropConnection(connection));
    client.on('error', (error) => {
      dropConnection(connection);
      onIdleError(error);
    });
    client.connect().then(
      () => {
        connection.isOpen = true;
        schedule();
      },
      (error) => {
        dropConnection(connection);
        nextConnectAt = performance.now() + RECONNECT_DELAY;
        if (connections.length === 0) for (const { reject } of queue.splice(0)) reject(error);
      },
    );
  };

  /** Closes a connection. Statements in flight fail, although PostgreSQL may still commit them. */
  const dropConnection = (connection: Connection) => {
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
        const parameters = values.map(encodeParameter);
        const queuedAt = performance.now();
        queue.push({
          statement,
          parameters,
          resolve: resolve as PendingStatement['resolve'],
          reject,
          queuedAt,
          isSeparate: false,
        });
        schedule();
      }),
    countUnfinished,
    async close() {
      isClosed = true;
      if (countUnfinished() > 0)
        await new Promise<void>((resolve) => {
          onDrained = resolve;
        });
      clearTimeout(timer);
      await Promise.all(connections.map(({ client }) => client.end().catch(() => {})));
    },
  };
}
