// Deletes expired rows in small batches, with pauses between the batches.

import type { Logger } from 'pino';
import { storeLiveGrants } from '../store/activity.ts';
import type { Database } from '../store/database.ts';
import {
  type LifetimeSettings,
  pruneCutoffs,
  pruneExpired,
  SWEPT_TABLES,
  type SweepCursor,
  type SweptTable,
  sweepBatch,
} from '../store/pruning.ts';
import { truncateToDay } from './activity.ts';
import { type BackgroundJob, repeat } from './repeat.ts';

const PAUSE_WHILE_DELETING = 200;
const PAUSE_WHILE_SCANNING = 1_000;
const DEFAULT_PAUSE = 60_000;
/** If a batch deletes at least this many rows, the next pause is PAUSE_WHILE_DELETING. */
const MIN_DELETIONS_FOR_SHORT_PAUSE = 100;

type PruningJob = 'expired' | SweptTable;

interface JobStats {
  batches: number;
  failures: number;
  lastBatchAt: Date | undefined;
}

export interface PruningStats {
  deleted: Record<string, number>;
  jobs: Record<PruningJob, JobStats>;
  /** From the last complete scan. Undefined until a scan completes. */
  liveGrants: number | undefined;
}

const createJobStats = (): JobStats => ({ batches: 0, failures: 0, lastBatchAt: undefined });

export const createPruningStats = (): PruningStats => ({
  deleted: {},
  jobs: { expired: createJobStats(), grants: createJobStats(), consents: createJobStats() },
  liveGrants: undefined,
});

/** `deleted` is undefined if another process is running the same batch. */
type RunBatch = () => Promise<{ deleted?: PruningStats['deleted'] | undefined; pause: number }>;

interface PruningServices {
  config: LifetimeSettings;
  database: Database;
  pruningStats: PruningStats;
  now: () => Date;
}

export function startPruning(services: PruningServices, logger: Logger): BackgroundJob {
  // Only one batch runs at a time so that pruning uses one connection.
  let lastBatch: Promise<unknown> = Promise.resolve();
  const start = (job: PruningJob, batch: RunBatch) =>
    repeat(() => {
      const next = lastBatch.then(() => runBatch(job, batch, services, logger));
      lastBatch = next;
      return next;
    });
  const jobs = [
    start('expired', deleteExpired(services)),
    ...SWEPT_TABLES.map((table) => start(table, scanTable(table, services))),
  ];
  return {
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}

/** @returns milliseconds to pause */
async function runBatch(
  job: PruningJob,
  batch: RunBatch,
  { pruningStats, now }: PruningServices,
  logger: Logger,
): Promise<number> {
  const stats = pruningStats.jobs[job];
  try {
    const { deleted, pause } = await batch();
    if (deleted === undefined) return pause;
    for (const [table, rows] of Object.entries(deleted))
      pruningStats.deleted[table] = (pruningStats.deleted[table] ?? 0) + rows;
    stats.batches += 1;
    stats.lastBatchAt = now();
    return pause;
  } catch (error) {
    stats.failures += 1;
    logger.warn({ err: error, job }, 'pruning failed, will retry');
    return DEFAULT_PAUSE;
  }
}

const deleteExpired =
  (services: PruningServices): RunBatch =>
  async () => {
    const result = await pruneExpired(services.database, pruneCutoffs(services.config, services.now()));
    return { deleted: result?.deleted, pause: result?.hasMore ? PAUSE_WHILE_DELETING : DEFAULT_PAUSE };
  };

function scanTable(table: SweptTable, services: PruningServices): RunBatch {
  let cursor: SweepCursor;
  let liveGrants = new Map<string, number>();
  return async () => {
    const result = await sweepBatch(
      services.database,
      table,
      pruneCutoffs(services.config, services.now()),
      cursor,
    );
    if (result === undefined) return { pause: PAUSE_WHILE_SCANNING };
    const deleted = { [table]: result.deleted };
    cursor = result.cursor;
    for (const [clientId, count] of Object.entries(result.live))
      liveGrants.set(clientId, (liveGrants.get(clientId) ?? 0) + count);
    if (cursor !== undefined)
      return {
        deleted,
        pause: result.deleted >= MIN_DELETIONS_FOR_SHORT_PAUSE ? PAUSE_WHILE_DELETING : PAUSE_WHILE_SCANNING,
      };
    const completedCounts = liveGrants;
    liveGrants = new Map();
    if (table === 'grants') {
      services.pruningStats.liveGrants = [...completedCounts.values()].reduce((sum, count) => sum + count, 0);
      await storeLiveGrants(services.database, truncateToDay(services.now()), completedCounts);
    }
    return { deleted, pause: DEFAULT_PAUSE };
  };
}
