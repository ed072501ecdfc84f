// The background work of pruning: small batches, with pauses, for as long as the process serves.

import type { Logger } from 'pino';
import { noteLiveGrants } from '../store/activity.ts';
import type { Database } from '../store/database.ts';
import {
  type LifetimeSettings,
  limitsOf,
  type Place,
  pruneExpired,
  WALKED_TABLES,
  type WalkedTable,
  walkOn,
} from '../store/pruning.ts';
import { dayOf } from './activity.ts';
import { type Repeated, repeat } from './repeat.ts';

/** Milliseconds: after a batch that deleted much, after one that mostly looked, and after any other. */
const PAUSE_WHILE_DELETING = 200;
const PAUSE_WHILE_LOOKING = 1_000;
const PAUSE = 60_000;
/** Rows that a walk deletes in a batch, as a reason to hurry. */
const MUCH = 100;
/** Pruning by time, or the walk along a table. */
type PruningWork = 'expired' | WalkedTable;

interface WorkRecord {
  batches: number;
  failures: number;
  /** Undefined until this process had its turn. */
  lastBatchAt: Date | undefined;
}

/** What pruning in this process has come to so far. */
export interface PruningRecord {
  deleted: Record<string, number>;
  works: Record<PruningWork, WorkRecord>;
  /** As counted by the last whole walk along the grants; undefined before the first. */
  liveGrants: number | undefined;
}

const newWork = (): WorkRecord => ({ batches: 0, failures: 0, lastBatchAt: undefined });

export const newPruningRecord = (): PruningRecord => ({
  deleted: {},
  works: { expired: newWork(), grants: newWork(), consents: newWork() },
  liveGrants: undefined,
});

/** One batch; says what was deleted, unless another process was at it, and how long to pause. */
type Batch = () => Promise<{ deleted?: PruningRecord['deleted'] | undefined; pause: number }>;

interface PruningParts {
  config: LifetimeSettings;
  database: Database;
  pruning: PruningRecord;
  now: () => Date;
}

/** Starts pruning, each work at its own pace; stopping waits for the batches in hand. */
export function startPruning(parts: PruningParts, logger: Logger): Repeated {
  // They take turns, so that all of them need one connection of the pool.
  let last: Promise<unknown> = Promise.resolve();
  const start = (work: PruningWork, batch: Batch) =>
    repeat(() => {
      const next = last.then(() => turn(work, batch, parts, logger));
      last = next;
      return next;
    });
  const works = [
    start('expired', expiring(parts)),
    ...WALKED_TABLES.map((table) => start(table, walking(table, parts))),
  ];
  return {
    stop: async () => {
      await Promise.all(works.map((work) => work.stop()));
    },
  };
}

/** Does a batch and keeps the record. @returns how long to pause after it */
async function turn(
  work: PruningWork,
  batch: Batch,
  { pruning, now }: PruningParts,
  logger: Logger,
): Promise<number> {
  const record = pruning.works[work];
  try {
    const { deleted, pause } = await batch();
    if (deleted === undefined) return pause;
    for (const [table, rows] of Object.entries(deleted))
      pruning.deleted[table] = (pruning.deleted[table] ?? 0) + rows;
    record.batches += 1;
    record.lastBatchAt = now();
    return pause;
  } catch (error) {
    record.failures += 1;
    logger.warn({ err: error, work }, 'pruning failed; it will be tried again');
    return PAUSE;
  }
}

/** Prunes by time; all that has piled up, one batch after the other. */
const expiring =
  (parts: PruningParts): Batch =>
  async () => {
    const result = await pruneExpired(parts.database, limitsOf(parts.config, parts.now()));
    return { deleted: result?.deleted, pause: result?.more ? PAUSE_WHILE_DELETING : PAUSE };
  };

/** Walks along a table, again and again. It looks at every grant, so it counts the live ones. */
function walking(table: WalkedTable, parts: PruningParts): Batch {
  let place: Place;
  let live = new Map<string, number>();
  return async () => {
    const result = await walkOn(parts.database, table, limitsOf(parts.config, parts.now()), place);
    // Another process walks at its own place: this one goes on when that one has done its batch.
    if (result === undefined) return { pause: PAUSE_WHILE_LOOKING };
    const deleted = { [table]: result.deleted };
    place = result.place;
    for (const [clientId, count] of Object.entries(result.live))
      live.set(clientId, (live.get(clientId) ?? 0) + count);
    if (place !== undefined)
      return { deleted, pause: result.deleted >= MUCH ? PAUSE_WHILE_DELETING : PAUSE_WHILE_LOOKING };
    const counted = live;
    live = new Map();
    if (table === 'grants') {
      parts.pruning.liveGrants = [...counted.values()].reduce((sum, count) => sum + count, 0);
      await noteLiveGrants(parts.database, dayOf(parts.now()), counted);
    }
    return { deleted, pause: PAUSE };
  };
}
