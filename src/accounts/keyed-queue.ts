// FIFO queues with a maximum length, one per key.
import { overloaded } from '../oauth/errors.ts';

/** Releases the request's concurrency slot (http/overload.ts) while `work` runs. */
export type ReleaseSlot = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** @throws OAuthError `temporarily_unavailable` if the key's queue is full */
export type KeyedQueue = <Result>(
  key: string,
  releaseSlot: ReleaseSlot,
  work: () => Promise<Result>,
) => Promise<Result>;

export function createKeyedQueue(concurrency: number, maxLength: number): KeyedQueue {
  const queues = new Map<string, { running: number; waiting: (() => void)[] }>();
  return async (key, releaseSlot, work) => {
    const queue = queues.get(key) ?? { running: 0, waiting: [] };
    queues.set(key, queue);
    if (queue.running < concurrency) queue.running += 1;
    else if (queue.waiting.length >= maxLength) throw overloaded(2);
    else await releaseSlot(() => new Promise<void>((resolve) => queue.waiting.push(resolve)));
    try {
      return await work();
    } finally {
      const next = queue.waiting.shift();
      if (next !== undefined) next();
      else if (--queue.running === 0) queues.delete(key);
    }
  };
}
