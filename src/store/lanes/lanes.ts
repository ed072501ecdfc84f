// Lanes: a few connections that carry the hot single statements of all requests, many at a time.
import type { Socket } from 'node:net';
import pg from 'pg';
import type { Statement } from '../statement.ts';
import { type Asked, type BatchEnd, type BatchFailure, type Prepared, sendBatch } from './batch.ts';
import { asValue } from './wire.ts';

export interface Lanes {
  query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
  /** How many statements wait for their answer. */
  inFlight(): number;
  close(): Promise<void>;
}

export interface LaneOptions {
  /** Connections at most. */
  count: number;
  /** Milliseconds that a statement may wait for a lock: those in its batch wait too. */
  lockTimeout: number;
  /**
   * Milliseconds for which a statement that waited in vain is refused at once, and then tried once. For reads: only a
   * locked table holds them up, so the next ones would fare no better; a write may have met one locked row. 0: never.
   */
  rest: number;
  /** Whether statements are prepared by name. */
  prepare: boolean;
}

interface Lane {
  client: pg.Client;
  prepared: Prepared | undefined;
  open: boolean;
  /** What it is working on; none: it is free. */
  batch: Asked[] | undefined;
  since: number;
}

/**
 * Opens up to `count` lanes, each when it is needed. All that is asked while a lane is at work waits, and goes out with
 * the next batch: one write, one transaction, one commit for all of it. Only what takes longer than usual is gone
 * around, on another lane.
 *
 * Statements know nothing of each other: when one fails, nothing of its batch is done, and the others are sent again,
 * each in a transaction of its own. What waited for a lock in vain takes those along that would wait for the same.
 */
export function openLanes(
  connection: pg.ClientConfig,
  { count, lockTimeout, rest, prepare }: LaneOptions,
  onIdleError: (error: Error) => void,
): Lanes {
  const config = { ...connection, lock_timeout: lockTimeout };
  const lanes: Lane[] = [];
  let queue: Asked[] = [];
  /** Statements that wait in vain, by name, and when each may be tried again. */
  const resting = new Map<string, number>();
  let scheduled = false;
  let lookAgain: NodeJS.Timeout | undefined;
  let openAgainAt = 0;
  let closed = false;
  /** Statements in a batch at most, for now. */
  let size = BATCH;
  let whenIdle: (() => void) | undefined;

  /** Refuses a statement that rests. The first one after the rest is the trial, whose outcome the others await. */
  const refuseResting = (name: string): void => {
    const until = resting.get(name);
    if (until === undefined) return;
    if (performance.now() < until) throw lockedOut();
    resting.set(name, performance.now() + rest + lockTimeout);
  };

  const inFlight = () => lanes.reduce((sum, { batch }) => sum + (batch?.length ?? 0), queue.length);

  /** Later in this turn of the event loop, so that all that is asked in it goes out together. */
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      dispatch();
    });
  };

  const dispatch = (): void => {
    refuseStale();
    while (queue.length > 0) {
      const now = performance.now();
      const atWork = lanes.find((lane) => lane.batch !== undefined && now - lane.since < PATIENCE);
      const lane = atWork === undefined ? lanes.find(isFree) : undefined;
      if (lane !== undefined) {
        send(lane, takeBatch(), now);
        continue;
      }
      if (atWork === undefined) openAnother(now);
      lookAgain ??= setTimeout(() => {
        lookAgain = undefined;
        dispatch();
      }, PATIENCE);
      return;
    }
    if (whenIdle !== undefined && inFlight() === 0) whenIdle();
  };

  /** Refuses what nothing was free for in all this time. */
  const refuseStale = (): void => {
    const before = performance.now() - QUEUE_TIMEOUT;
    if ((queue[0]?.since ?? before) >= before) return;
    queue = queue.filter(({ since, reject }) => since > before || reject(new Error('Connection busy')));
  };

  const takeBatch = (): Asked[] => {
    if (queue[0]?.alone === true) return queue.splice(0, 1);
    const end = queue.findIndex(({ alone }) => alone);
    return queue.splice(0, Math.min(end < 0 ? queue.length : end, size));
  };

  const send = (lane: Lane, batch: Asked[], now: number): void => {
    lane.batch = batch;
    lane.since = now;
    sendBatch(lane.client, batch, lane.prepared, (end) => {
      if (lane.batch === batch) settle(lane, batch, end);
    });
  };

  const free = (lane: Lane): void => {
    lane.batch = undefined;
    schedule();
  };

  const settle = (lane: Lane, batch: Asked[], end: BatchEnd): void => {
    if ('rows' in end) answer(lane, batch, end.rows);
    else if (end.failed === undefined) giveUp(lane, batch, end.error);
    else separate(lane, batch, end.failed, end);
  };

  const answer = (lane: Lane, batch: Asked[], rows: pg.QueryResultRow[][]): void => {
    for (const [n, { statement, resolve }] of batch.entries()) {
      if (resting.size > 0) resting.delete(statement.name);
      resolve(rows[n] ?? []);
    }
    size = performance.now() - lane.since > SLOW ? Math.max(1, size >> 1) : Math.min(BATCH, size + 1);
    free(lane);
  };

  /** Nobody knows what the connection would answer next, nor what has been carried out. */
  const giveUp = (lane: Lane, batch: Asked[], error: Error): void => {
    lane.open = false;
    lane.batch = undefined;
    size = 1;
    for (const { reject } of batch) reject(error);
    streamOf(lane).destroy();
  };

  /** Nothing of the batch has been done: the one that failed is told so, the others get their own transactions. */
  const separate = (lane: Lane, batch: Asked[], failed: Asked, { error, outdated }: BatchFailure): void => {
    const { code } = error as { code?: string };
    // Two batches can lock each other out. A statement by itself cannot, but with a transaction of the pool.
    const isToBlame = !outdated && (code !== DEADLOCK || batch.length === 1);
    if (isToBlame) failed.reject(error);
    let others = batch.filter((one) => one !== failed || !isToBlame);
    if (code === LOCK_NOT_AVAILABLE) {
      const before = batch.slice(0, batch.indexOf(failed)); // they waited for nothing
      others = [...before, ...heldUp(failed, batch.slice(before.length + 1))];
    }
    lane.batch = others;
    // The driver's own timer has ended with the error.
    const silence = setTimeout(() => {
      if (lane.batch === others) giveUp(lane, others, new Error('Connection silent'));
    }, QUEUE_TIMEOUT).unref();
    // Where the connection ends with the error, they end with it instead.
    lane.client.once('drain', () => {
      clearTimeout(silence);
      if (lane.batch !== others) return;
      for (const one of others) one.alone = true;
      queue = [...others, ...queue];
      free(lane);
    });
  };

  /** Refuses those who would wait for the same lock as long; gives the others. */
  const heldUp = ({ statement: { name } }: Asked, others: Asked[]): Asked[] => {
    const now = performance.now();
    if (rest > 0) resting.set(name, now + rest);
    const isSame = (one: Asked) => one.statement.name === name;
    const refuse = (asked: Asked[], which: (one: Asked) => boolean) =>
      asked.filter((one) => !which(one) || one.reject(lockedOut()));
    queue = refuse(queue, (one) => isSame(one) && (rest > 0 || now - one.since > lockTimeout / 2));
    return refuse(others, isSame);
  };

  /** One that is on its way is waited for; where none can be opened, those that are there carry everything. */
  const openAnother = (now: number): void => {
    if (lanes.length >= count || lanes.some(({ open }) => !open) || (lanes.length > 0 && now < openAgainAt))
      return;
    const client = new pg.Client(config);
    const lane: Lane = {
      client,
      prepared: prepare ? new Map() : undefined,
      open: false,
      batch: undefined,
      since: 0,
    };
    lanes.push(lane);
    const lose = (error: Error) => {
      const place = lanes.indexOf(lane);
      if (place < 0) return;
      lanes.splice(place, 1);
      for (const { reject } of lane.batch ?? []) reject(error);
      lane.batch = undefined;
      streamOf(lane).destroy(); // an error of the client need not be one of its socket
      schedule();
    };
    client.on('end', () => lose(new Error('Connection terminated unexpectedly')));
    client.on('error', (error) => {
      lose(error);
      onIdleError(error);
    });
    client.connect().then(
      () => {
        lane.open = true;
        dispatch();
      },
      (error) => {
        lose(error);
        openAgainAt = performance.now() + PAUSE_AFTER_REFUSAL;
        if (lanes.length > 0) return;
        for (const { reject } of queue.splice(0)) reject(error);
      },
    );
  };

  return {
    query: <Row extends pg.QueryResultRow>(statement: Statement, given: unknown[]) =>
      new Promise<Row[]>((resolve, reject) => {
        if (closed) throw new Error('Connection closed');
        const values = given.map(asValue); // before it is in a batch, where its fault would be everybody's
        if (resting.size > 0) refuseResting(statement.name);
        const asked = { statement, values, reject, since: performance.now(), alone: false };
        queue.push({ ...asked, resolve: resolve as Asked['resolve'] });
        schedule();
      }),
    inFlight,
    async close() {
      closed = true;
      if (inFlight() > 0)
        await new Promise<void>((resolve) => {
          whenIdle = resolve;
        });
      clearTimeout(lookAgain);
      await Promise.all(lanes.map(({ client }) => client.end().catch(() => {})));
    },
  };
}

const isFree = ({ open, batch }: Lane): boolean => open && batch === undefined;

const streamOf = ({ client }: Lane): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;

/** Milliseconds that a batch may take before the next one goes around it. */
const PATIENCE = 10;

/** Statements in a batch at most: each holds its locks until the last is done. */
const BATCH = 50;

/**
 * Milliseconds from which a batch was slow, and the next ones are smaller, so that they end in time. Well above what a
 * commit takes on a slow disk or with a far replica: that is no shorter for a small batch.
 */
const SLOW = 2_000;

/** Milliseconds that a statement may wait for a free lane, or for the first one to open. */
const QUEUE_TIMEOUT = 5_000;

/** Milliseconds until another lane is asked for again after one could not be opened, while others carry on. */
const PAUSE_AFTER_REFUSAL = 1_000;

/** SQLSTATE of a lock that did not become free in time, and of two that waited for each other. */
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

const lockedOut = (): Error =>
  Object.assign(new Error('not tried: the same statement waited for a lock in vain just now'), {
    code: LOCK_NOT_AVAILABLE,
  });
