// Lanes: a few pipelined connections that carry the hot single statements of all requests.
import pg from 'pg';
import type { Statement } from './database.ts';

export interface Lanes {
  query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
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
 * Opens up to `count` lanes; a statement takes the one with the fewest before it, so that a slow one is gone around. A
 * lane connects when all others are busy, and again at the first statement after it was lost.
 */
export function openLanes(
  config: pg.ClientConfig,
  count: number,
  onIdleError: (error: Error) => void,
): Lanes {
  const lanes: Lane[] = [];
  let closed = false;

  const nextLane = (): Lane => {
    let best: Lane | undefined;
    for (const [slot, present] of lanes.entries()) {
      const lane = present.lost ? connect(config, onIdleError) : present;
      lanes[slot] = lane;
      if (best === undefined || lane.waiting < best.waiting) best = lane;
    }
    if (best !== undefined && (best.waiting === 0 || lanes.length === count)) return best;
    const lane = connect(config, onIdleError);
    lanes.push(lane);
    return lane;
  };

  return {
    async query(statement, values) {
      if (closed) throw new Error('Connection closed');
      const lane = nextLane();
      lane.waiting += 1;
      try {
        await lane.ready;
        cork(lane);
        return (await lane.client.query({ ...statement, values })).rows;
      } finally {
        lane.waiting -= 1;
      }
    },
    async close() {
      closed = true;
      await Promise.all(lanes.map((lane) => lane.ready.then(() => lane.client.end()).catch(() => {})));
    },
  };
}

function connect(config: pg.ClientConfig, onIdleError: (error: Error) => void): Lane {
  const client = new pg.Client(config);
  const lane: Lane = { client, ready: client.connect(), lost: false, corked: false, waiting: 0 };
  const lose = () => {
    lane.lost = true;
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
  const { stream } = (lane.client as unknown as { connection: { stream: NodeJS.WritableStream & Corkable } })
    .connection;
  lane.corked = true;
  stream.cork();
  setImmediate(() => {
    lane.corked = false;
    stream.uncork();
  });
}

interface Corkable {
  cork(): void;
  uncork(): void;
}
