// A lane: one connection, the batch it is working on, and how it ends.
import type { Socket } from 'node:net';
import type pg from 'pg';
import { Client } from '../connection.ts';
import type { Asked, Prepared } from './batch.ts';

export interface Lane {
  client: pg.Client;
  prepared: Prepared | undefined;
  open: boolean;
  /** What it is working on; none: it is free. */
  batch: Asked[] | undefined;
  /** When the batch was sent, by `performance.now()`. */
  since: number;
}

/** What becomes of a lane. */
export interface LaneEvents {
  /** It is free for a first batch. */
  opened(): void;
  /** It has ended, and its batch with it. Told once, also of a lane that never opened. */
  lost(lane: Lane): void;
  /** It could not be opened, and has been lost. */
  refused(error: Error): void;
  /** Its connection broke by itself, and has been lost. */
  broken(error: Error): void;
}

/** @param prepare whether statements are prepared by name */
export function openLane(
  config: pg.ClientConfig,
  prepare: boolean,
  { opened, lost, refused, broken }: LaneEvents,
): Lane {
  const client = new Client(config);
  const lane: Lane = {
    client,
    prepared: prepare ? new Map() : undefined,
    open: false,
    batch: undefined,
    since: 0,
  };
  let over = false;
  const lose = (error: Error) => {
    if (over) return;
    over = true;
    for (const { reject } of lane.batch ?? []) reject(error);
    lane.batch = undefined;
    hangUp(lane); // an error of the client need not be one of its socket
    lost(lane);
  };
  client.on('end', () => lose(new Error('Connection terminated unexpectedly')));
  client.on('error', (error) => {
    lose(error);
    broken(error);
  });
  client.connect().then(
    () => {
      lane.open = true;
      opened();
    },
    (error) => {
      lose(error);
      refused(error);
    },
  );
  return lane;
}

export const isFree = ({ open, batch }: Lane): boolean => open && batch === undefined;

/** Ends the connection at once. PostgreSQL goes on with what it has received. */
export const hangUp = ({ client }: Lane): void => {
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
};

/** Ends the connection in order. */
export const closeLane = ({ client }: Lane): Promise<void> => client.end().catch(() => {});
