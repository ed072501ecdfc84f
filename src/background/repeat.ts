// Runs a background job repeatedly, with pauses, until it is stopped.
import { setTimeout as wait } from 'node:timers/promises';
import type { ReleasedSlotProof } from '../outgoing/guarded-request.ts';

export interface BackgroundJob {
  stop(): Promise<void>;
}

/**
 * @param work returns the milliseconds until the next run. Must catch its errors.
 * @param initialDelay milliseconds
 */
export function repeat(
  work: (slotProof: ReleasedSlotProof) => Promise<number>,
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
    while (!stopped.signal.aborted) await pause(await work({} as ReleasedSlotProof));
  }

  async function pause(milliseconds: number): Promise<void> {
    await wait(Math.max(0, milliseconds), undefined, { signal: stopped.signal }).catch(() => {});
  }
}
