// The background work of pruning: small batches, with pauses, for as long as the process serves.
import type { Logger } from 'pino';
import type { Parts } from './parts.ts';
import { type PruneCursor, type PrunedBatch, pruneBatch, startOfPruning } from './store/pruning.ts';

/** Milliseconds: after a batch that deleted much, after one that mostly looked, and after the last. */
const PAUSE_WHILE_DELETING = 200;
const PAUSE_WHILE_LOOKING = 5_000;
const PAUSE_WHEN_DONE = 60_000;
/** Rows of one table in a batch that are a reason to hurry. */
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

/** Starts pruning; `stop` resolves when the batch in hand is done. */
export function startPruning(parts: Parts, logger: Logger): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const running = run(parts, logger, stopped.signal);
  return {
    stop: () => {
      stopped.abort();
      return running;
    },
  };
}

async function run(parts: Parts, logger: Logger, stopped: AbortSignal): Promise<void> {
  const record = recorder(parts);
  let cursor = startOfPruning();
  while (!stopped.aborted) {
    let pause = PAUSE_WHEN_DONE;
    try {
      const result = await pruneBatch(parts.database, limitsOf(parts), cursor);
      cursor = result.cursor;
      if (result.pruned) record(result.pruned, cursor);
      if (result.more) pause = hasDeletedMuch(result.pruned) ? PAUSE_WHILE_DELETING : PAUSE_WHILE_LOOKING;
    } catch (error) {
      parts.pruning.failures += 1;
      logger.warn({ err: error }, 'pruning failed; it will be tried again');
    }
    await interruptiblePause(pause, stopped);
  }
}

const hasDeletedMuch = (pruned: PrunedBatch | undefined): boolean =>
  Object.values(pruned?.deleted ?? {}).some((rows) => rows >= MUCH);

/** Keeps the record. The walk looks at every grant anyway, so the live ones are counted on the way. */
function recorder({ pruning, now }: Parts): (pruned: PrunedBatch, cursor: PruneCursor) => void {
  let walked = 0;
  return ({ deleted, liveGrants }, cursor) => {
    for (const [table, rows] of Object.entries(deleted))
      pruning.deleted[table] = (pruning.deleted[table] ?? 0) + rows;
    pruning.batches += 1;
    pruning.lastBatchAt = now();
    walked += liveGrants;
    if (cursor.grant !== startOfPruning().grant) return;
    pruning.liveGrants = walked;
    walked = 0;
  };
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
