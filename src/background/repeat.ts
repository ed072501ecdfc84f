// Work that runs again and again, for as long as the process serves.
import { setTimeout as wait } from 'node:timers/promises';
import type { OffSlot } from '../outgoing/guarded-request.ts';

export interface Repeated {
  /** Begins nothing more. Resolves when what has begun is over. */
  stop(): Promise<void>;
}

/**
 * Runs work, pauses, and runs it again. Work handles its own failures: what it throws would end the process.
 * @param work does what is due; gives the milliseconds until it runs again. It receives the proof that outgoing
 *   calls require, because a background job belongs to no request.
 * @param first milliseconds until it runs for the first time
 */
export function repeat(work: (offSlot: OffSlot) => Promise<number>, first = 0): Repeated {
  const stopped = new AbortController();
  const running = run();
  return {
    stop: () => {
      stopped.abort();
      return running;
    },
  };

  async function run(): Promise<void> {
    await pause(first);
    while (!stopped.signal.aborted) await pause(await work({} as OffSlot));
  }

  async function pause(milliseconds: number): Promise<void> {
    await wait(Math.max(0, milliseconds), undefined, { signal: stopped.signal }).catch(() => {});
  }
}
