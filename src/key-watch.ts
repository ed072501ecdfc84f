// The background work of noticing that the signing keys were replaced, for as long as the process serves.
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Parts } from './parts.ts';
import { isUnavailable } from './store/database.ts';
import { refreshSigningKeys } from './store/signing-keys.ts';

/** What an emergency command replaced is out of use everywhere after so many milliseconds. */
const PAUSE = 10_000;

/** Starts watching; `stop` resolves when a look that has begun is over. */
export function startKeyWatch(parts: Parts, logger: Logger): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const running = run(parts, logger, stopped.signal);
  return {
    stop: () => {
      stopped.abort();
      return running;
    },
  };
}

async function run(
  { database, sealer, keys, now }: Parts,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  let complained = false;
  while (!signal.aborted) {
    await wait(PAUSE, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    try {
      if (await refreshSigningKeys(database, sealer, keys, now()))
        logger.warn({ kids: Object.values(keys).map(({ kid }) => kid) }, 'the signing keys were replaced');
      complained = false;
    } catch (error) {
      // Keys that do not open need an operator: other processes have another SECRET_KEY by now. Said once.
      const level = isUnavailable(error) ? 'warn' : 'error';
      if (!complained) logger[level]({ err: error }, 'cannot read the signing keys; the present ones stay');
      complained = true;
    }
  }
}
