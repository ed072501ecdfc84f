// Lanes: a few pipelined connections that carry the hot single statements of all requests.
import type { Socket } from 'node:net';
import pg from 'pg';
import type { Statement } from './database.ts';

export interface Lanes {
  query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
  /** How many statements wait for their answer. */
  inFlight(): number;
  close(): Promise<void>;
}

/** Turns a statement into what the driver sends. */
export type AsQuery = (statement: Statement, values: unknown[]) => pg.QueryConfig<unknown[]>;

export interface LaneOptions {
  /** Connections at most. */
  count: number;
  /** Milliseconds that a statement may wait for a lock: those behind it on its lane wait too. */
  lockTimeout: number;
  /**
   * Milliseconds for which a statement that waited in vain is refused at once, and then tried once. For reads: only a
   * locked table holds them up, so the next ones would fare no better; a write may have met one locked row. 0: never.
   */
  rest: number;
  asQuery: AsQuery;
}

interface Lane {
  client: pg.Client;
  ready: Promise<unknown>;
  lost: boolean;
  corked: boolean;
  /** Statements sent and not yet answered. */
  waiting: number;
}

/**
 * Opens up to `count` lanes; a statement takes the one with the fewest before it, so that a slow one is gone around.
 * Another is opened while all are busy, in the background: where PostgreSQL has no connection left, those that are
 * there go on carrying everything.
 *
 * A statement that waited for a lock in vain takes its lane with it, because the crowd behind it would wait as long, one
 * after the other; all of them fail with what `isUnavailable` recognises.
 */
export function openLanes(
  connection: pg.ClientConfig,
  { count, lockTimeout, rest, asQuery }: LaneOptions,
  onIdleError: (error: Error) => void,
): Lanes {
  const config = { ...connection, lock_timeout: lockTimeout };
  const lanes: Lane[] = [];
  /** Statements that wait in vain, by name, and when each may be tried again. */
  const resting = new Map<string, number>();
  let closed = false;

  /** Refuses a statement that rests. The first one after the rest is the trial, whose outcome the others await. */
  const isTrial = (name: string): boolean => {
    const until = resting.get(name);
    if (until === undefined) return false;
    if (performance.now() < until) throw lockedOut();
    resting.set(name, performance.now() + rest + lockTimeout);
    return true;
  };

  const heldUp = (lane: Lane, name: string, trial: boolean): void => {
    if (rest > 0) resting.set(name, performance.now() + rest);
    // Behind a trial there is no crowd of its kind: the others may still be served.
    if (lane.waiting > 1 && !trial) streamOf(lane).destroy();
  };

  /** The lane that is on its way, if any; it carries statements before it is there only where no other does. */
  let opening: Lane | undefined;
  let openAgainAt = 0;

  const open = (): Lane => {
    const lane = connect(config, onIdleError, () => {
      const place = lanes.indexOf(lane);
      if (place >= 0) lanes.splice(place, 1);
      if (opening === lane) opening = undefined;
    });
    opening = lane;
    lane.ready.then(
      () => {
        if (!lane.lost) lanes.push(lane);
        if (opening === lane) opening = undefined;
      },
      () => {
        openAgainAt = performance.now() + PAUSE_AFTER_REFUSAL;
      },
    );
    return lane;
  };

  const nextLane = (): Lane => {
    let best: Lane | undefined;
    for (const lane of lanes) if (best === undefined || lane.waiting < best.waiting) best = lane;
    if (best === undefined) return opening ?? open();
    const wanted = best.waiting > 0 && lanes.length < count;
    if (wanted && opening === undefined && performance.now() >= openAgainAt) open();
    return best;
  };

  return {
    async query(statement, values) {
      if (closed) throw new Error('Connection closed');
      const trial = resting.size > 0 && isTrial(statement.name);
      const lane = nextLane();
      lane.waiting += 1;
      try {
        await lane.ready;
        cork(lane);
        const { rows } = await lane.client.query(asQuery(statement, values));
        if (resting.size > 0) resting.delete(statement.name);
        return rows;
      } catch (error) {
        if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) heldUp(lane, statement.name, trial);
        throw error;
      } finally {
        lane.waiting -= 1;
      }
    },
    inFlight: () => lanes.reduce((sum, lane) => sum + lane.waiting, opening?.waiting ?? 0),
    async close() {
      closed = true;
      const all = opening === undefined ? lanes : [...lanes, opening];
      await Promise.all(all.map((lane) => lane.ready.then(() => lane.client.end()).catch(() => {})));
    },
  };
}

/** A lane that is being opened; `onLost` is told once when it cannot be or ends. */
function connect(config: pg.ClientConfig, onIdleError: (error: Error) => void, onLost: () => void): Lane {
  const client = new pg.Client(config);
  const lane: Lane = { client, ready: client.connect(), lost: false, corked: false, waiting: 0 };
  const lose = () => {
    if (lane.lost) return;
    lane.lost = true;
    onLost();
  };
  lane.ready.catch(lose);
  client.on('end', lose);
  client.on('error', (error) => {
    lose();
    onIdleError(error);
  });
  return lane;
}

/** Gathers all statements of one turn of the event loop into one write to the socket. */
function cork(lane: Lane): void {
  if (lane.corked) return;
  const stream = streamOf(lane);
  lane.corked = true;
  stream.cork();
  setImmediate(() => {
    lane.corked = false;
    stream.uncork();
  });
}

const streamOf = ({ client }: Lane): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;

/** Milliseconds until another lane is asked for again after one could not be opened, while others carry on. */
const PAUSE_AFTER_REFUSAL = 1_000;

/** SQLSTATE of a lock that did not become free in time. */
const LOCK_NOT_AVAILABLE = '55P03';

const lockedOut = (): Error =>
  Object.assign(new Error('not tried: the same statement waited for a lock in vain just now'), {
    code: LOCK_NOT_AVAILABLE,
  });
