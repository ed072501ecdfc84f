// The background work of pruning: small batches, with pauses, for as long as the process serves.
import type { Logger } from 'pino';
import type { Parts } from './parts.ts';
import { type Deleted, isOver, pruneExpired, startOfWalk, walkOn } from './store/pruning.ts';

/** Milliseconds: after a batch that deleted much, after one that mostly looked, and when nothing is left. */
const PAUSE_WHILE_DELETING = 200;
const PAUSE_WHILE_LOOKING = 1_000;
const PAUSE_WHEN_DONE = 60_000;
/** Rows of one table that a walk deletes in a batch, as a reason to hurry. */
const MUCH = 100;
/**
 * Rows are kept a little longer than they can matter: a request in flight may still look at them. As long as a code can
 * live at most (AUTHORIZATION_CODE_TTL), should that have been changed: without its grant a used one would be good again.
 */
const MARGIN = 10 * 60 * 1000;

/** What pruning in this process has come to so far. */
export interface PruningRecord {
  /** Rows deleted, by table. */
  deleted: Record<string, number>;
  batches: number;
  failures: number;
  /** Undefined until this process had its turn. */
  lastBatchAt: Date | undefined;
  /** As counted by the last whole walk along the grants; undefined before the first. */
  liveGrants: number | undefined;
}

export const newPruningRecord = (): PruningRecord => ({
  deleted: {},
  batches: 0,
  failures: 0,
  lastBatchAt: undefined,
  liveGrants: undefined,
});

/** Starts pruning; `stop` resolves when the batches in hand are done. */
export function startPruning(parts: Parts, logger: Logger): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const repeat = (batch: () => Promise<number>) => repeatedly(batch, parts.pruning, logger, stopped.signal);
  const running = Promise.all([repeat(expiring(parts)), repeat(walking(parts))]);
  return {
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}

/** Does batches until it is stopped, each after the pause in milliseconds that the one before gave. */
async function repeatedly(
  batch: () => Promise<number>,
  record: PruningRecord,
  logger: Logger,
  stopped: AbortSignal,
): Promise<void> {
  while (!stopped.aborted) {
    const pause = await batch().catch((error) => {
      record.failures += 1;
      logger.warn({ err: error }, 'pruning failed; it will be tried again');
      return PAUSE_WHEN_DONE;
    });
    await interruptiblePause(pause, stopped);
  }
}

/** Prunes by time; all that has piled up, one batch after the other. */
const expiring = (parts: Parts) => async (): Promise<number> => {
  const result = await pruneExpired(parts.database, limitsOf(parts));
  if (result === undefined) return PAUSE_WHEN_DONE;
  note(parts, result.deleted);
  return result.more ? PAUSE_WHILE_DELETING : PAUSE_WHEN_DONE;
};

/** Walks along grants, consents and pictures, again and again. It looks at every grant, so it counts the live ones. */
function walking(parts: Parts): () => Promise<number> {
  let walk = startOfWalk();
  let live = 0;
  return async () => {
    const result = await walkOn(parts.database, limitsOf(parts), walk);
    if (result === undefined) return PAUSE_WHEN_DONE;
    note(parts, result.deleted);
    live += result.liveGrants;
    walk = result.walk;
    if (!isOver(walk)) {
      const hurry = Object.values(result.deleted).some((rows) => rows >= MUCH);
      return hurry ? PAUSE_WHILE_DELETING : PAUSE_WHILE_LOOKING;
    }
    parts.pruning.liveGrants = live;
    walk = startOfWalk();
    live = 0;
    return PAUSE_WHEN_DONE;
  };
}

function note({ pruning, now }: Parts, deleted: Deleted): void {
  for (const [table, rows] of Object.entries(deleted))
    pruning.deleted[table] = (pruning.deleted[table] ?? 0) + rows;
  pruning.batches += 1;
  pruning.lastBatchAt = now();
}

/** The limits before which rows are past use, by the clock and the lifetimes in force. */
export function limitsOf({ config, now }: Pick<Parts, 'config' | 'now'>) {
  const moment = now().getTime();
  const before = (seconds: number) => new Date(moment - seconds * 1000 - MARGIN);
  // A refresh token's end is not that of the access token it got last, which needs the grant until its own (D15).
  const { accessTokenTtl, refreshTokenIdleTtl, refreshTokenMaxTtl } = config;
  return {
    now: before(0),
    codeIssued: before(config.authorizationCodeTtl),
    grantUsed: before(refreshTokenIdleTtl + accessTokenTtl),
    grantCreated: refreshTokenMaxTtl === 0 ? new Date(0) : before(refreshTokenMaxTtl + accessTokenTtl),
    sessionExpired: before(config.sessionRetention),
    eventHappened: before(config.auditRetention),
    refusalHappened: before(config.diagnosticsRetention),
    addressSeen: before(config.addressRetention),
  };
}

function interruptiblePause(milliseconds: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stopped.aborted) return resolve();
    const timer = setTimeout(done, milliseconds);
    stopped.addEventListener('abort', done, { once: true });
    function done() {
      clearTimeout(timer);
      stopped.removeEventListener('abort', done);
      resolve();
    }
  });
}
