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
}

// A slow statement holds up those behind it on its connection; with two lanes half of them go around it.
const LANES = 2;

/** Opens the lanes; each connects at its first statement, and again at the first one after it was lost. */
export function openLanes(config: pg.ClientConfig, onIdleError: (error: Error) => void): Lanes {
  const lanes: (Lane | undefined)[] = Array.from({ length: LANES }, () => undefined);
  let turn = 0;
  let closed = false;

  const laneFor = (slot: number): Lane => {
    const present = lanes[slot];
    if (present !== undefined && !present.lost) return present;
    const lane = connect(config, onIdleError);
    lanes[slot] = lane;
    return lane;
  };

  return {
    async query(statement, values) {
      if (closed) throw new Error('Connection closed');
      turn = (turn + 1) % LANES;
      const lane = laneFor(turn);
      await lane.ready;
      cork(lane);
      return (await lane.client.query({ ...statement, values })).rows;
    },
    async close() {
      closed = true;
      await Promise.all(lanes.map((lane) => lane?.ready.then(() => lane.client.end()).catch(() => {})));
    },
  };
}

function connect(config: pg.ClientConfig, onIdleError: (error: Error) => void): Lane {
  const client = new pg.Client(config);
  const lane: Lane = { client, ready: client.connect(), lost: false, corked: false };
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
