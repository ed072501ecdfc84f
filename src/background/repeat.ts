// Runs a background job repeatedly, with pauses, until it is stopped.
import { setTimeout as wait } from 'node:timers/promises';
import type { OutsideOverloadLimit } from '../outgoing/guarded-request.ts';

export interface BackgroundJob {
  /** Prevents further runs. Resolves when the current run has finished. */
  stop(): Promise<void>;
}

/**
 * Runs `work` repeatedly.
 * @param work returns the number of milliseconds until the next run. Must catch its errors, because an unhandled
 *   rejection would terminate the process. Must pass its argument `offSlot` to outgoing requests, as proof that they
 *   don't count toward a route's overload limit.
 * @param initialDelay milliseconds until the first run
 */
export function repeat(
  work: (offSlot: OutsideOverloadLimit) => Promise<number>,
  initialDelay = 0,
): BackgroundJob {
  const stopped = new AbortController();
  const running = loop();
  return {
    stop: () => {
      stopped.abort();
      return running;
    },
  };

  async function loop(): Promise<void> {
    await pause(initialDelay);
    while (!stopped.signal.aborted) await pause(await work({} as OutsideOverloadLimit));
  }

  async function pause(milliseconds: number): Promise<void> {
    await wait(Math.max(0, milliseconds), undefined, { signal: stopped.signal }).catch(() => {});
  }
}
