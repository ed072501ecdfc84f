// Lanes: a few connections that carry the hot single statements of all requests, many at a time.
import type pg from 'pg';
import type { Statement } from '../statement.ts';
import { type Asked, type BatchEnd, type BatchFailure, sendBatch } from './batch.ts';
import { closeLane, hangUp, isFree, type Lane, openLane } from './lane.ts';
import { LOCK_NOT_AVAILABLE, lockedOut, newResting } from './locked-out.ts';
import type { Tuning } from './tuning.ts';
import { asValue } from './wire.ts';

export interface Lanes {
  query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
  /** How many statements wait for their answer. */
  inFlight(): number;
  close(): Promise<void>;
}

/**
 * Opens up to `count` lanes, each when it is needed. All that is asked while a lane is at work waits, and goes out with
 * the next batch: one write, one transaction, one commit for all of it. Only what takes longer than usual is gone
 * around, on another lane.
 *
 * Statements know nothing of each other: when one fails, nothing of its batch is done, and the others are sent again,
 * each in a transaction of its own. What waited for a lock in vain takes those along that would wait for the same.
 * @param prepare whether statements are prepared by name
 * @param onIdleError told about connections that break by themselves
 */
export function openLanes(
  connection: pg.ClientConfig,
  tuning: Tuning,
  prepare: boolean,
  onIdleError: (error: Error) => void,
): Lanes {
  const { count, lockTimeout, rest } = tuning;
  const config = { ...connection, lock_timeout: lockTimeout };
  const lanes: Lane[] = [];
  let queue: Asked[] = [];
  const resting = newResting(rest, lockTimeout);
  let scheduled = false;
  let lookAgain: NodeJS.Timeout | undefined;
  let openAgainAt = 0;
  let closed = false;
  /** Statements in a batch at most, for now. */
  let size = tuning.batch;
  let whenIdle: (() => void) | undefined;

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
      const atWork = lanes.find((lane) => lane.batch !== undefined && now - lane.since < tuning.patience);
      const lane = atWork === undefined ? lanes.find(isFree) : undefined;
      if (lane !== undefined) {
        send(lane, takeBatch(), now);
        continue;
      }
      if (atWork === undefined) openAnother(now);
      lookAgain ??= setTimeout(() => {
        lookAgain = undefined;
        dispatch();
      }, tuning.patience);
      return;
    }
    if (whenIdle !== undefined && inFlight() === 0) whenIdle();
  };

  /** Refuses what nothing was free for in all this time. */
  const refuseStale = (): void => {
    const before = performance.now() - tuning.queueTimeout;
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
      resting.end(statement.name);
      resolve(rows[n] ?? []);
    }
    size =
      performance.now() - lane.since > tuning.slow
        ? Math.max(1, size >> 1)
        : Math.min(tuning.batch, size + 1);
    free(lane);
  };

  /** Nobody knows what the connection would answer next, nor what has been carried out. */
  const giveUp = (lane: Lane, batch: Asked[], error: Error): void => {
    lane.open = false;
    lane.batch = undefined;
    size = 1;
    for (const { reject } of batch) reject(error);
    hangUp(lane);
  };

  /** Nothing of the batch has been done: the one that failed is told so, the others get their own transactions. */
  const separate = (lane: Lane, batch: Asked[], failed: Asked, { error, outdated }: BatchFailure): void => {
    const { code } = error as { code?: string };
    // Two batches can deadlock, and a statement with a transaction of the pool: each is sent once more, alone.
    const isToBlame = !outdated && (code !== DEADLOCK || failed.alone);
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
    }, tuning.silence).unref();
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
    resting.begin(name);
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
    const lane = openLane(config, prepare, {
      opened: dispatch,
      lost: (lost) => {
        lanes.splice(lanes.indexOf(lost), 1);
        schedule();
      },
      refused: (error) => {
        openAgainAt = performance.now() + tuning.pauseAfterRefusal;
        if (lanes.length > 0) return;
        for (const { reject } of queue.splice(0)) reject(error);
      },
      broken: onIdleError,
    });
    lanes.push(lane);
  };

  return {
    query: <Row extends pg.QueryResultRow>(statement: Statement, given: unknown[]) =>
      new Promise<Row[]>((resolve, reject) => {
        if (closed) throw new Error('Connection closed');
        const values = given.map(asValue); // before it is in a batch, where its fault would be everybody's
        resting.refuse(statement.name);
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
      await Promise.all(lanes.map(closeLane));
    },
  };
}

/** SQLSTATE of two that waited for each other. */
const DEADLOCK = '40P01';
