// The background work of pruning: small batches, with pauses, for as long as the process serves.
import type { Logger } from 'pino';
import type { Parts } from './parts.ts';
import { pruneBatch, startOfPruning } from './store/pruning.ts';

const PAUSE_BETWEEN_BATCHES = 200;
const PAUSE_WHEN_DONE = 60_000;
/** Rows are kept a little longer than they can matter: a request in flight may still look at them. */
const MARGIN = 10 * 60 * 1000;

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
  let cursor = startOfPruning();
  while (!stopped.aborted) {
    let pause = PAUSE_WHEN_DONE;
    try {
      const result = await pruneBatch(parts.database, limitsOf(parts), cursor);
      cursor = result.cursor;
      if (result.more) pause = PAUSE_BETWEEN_BATCHES;
    } catch (error) {
      logger.warn({ err: error }, 'pruning failed; it will be tried again');
    }
    await interruptiblePause(pause, stopped);
  }
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
