// Bounded FIFO queues per key.
import { overloaded } from '../oauth/errors.ts';

/** Does some work while the request that it belongs to counts for nothing (http/overload.ts). */
export type Aside = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Does work in the order in which it arrives, by key. @throws OAuthError `temporarily_unavailable` if the queue is full */
export type Line = <Result>(key: string, aside: Aside, work: () => Promise<Result>) => Promise<Result>;

/** @param atATime concurrent work per key. @param longest maximum length of a queue */
export function openLine(atATime: number, longest: number): Line {
  const lines = new Map<string, { working: number; waiting: (() => void)[] }>();
  return async (key, aside, work) => {
    const line = lines.get(key) ?? { working: 0, waiting: [] };
    lines.set(key, line);
    if (line.working < atATime) line.working += 1;
    else if (line.waiting.length >= longest) throw overloaded(2);
    else await aside(() => new Promise<void>((resolve) => line.waiting.push(resolve)));
    try {
      return await work();
    } finally {
      // Hand the turn to the next in line, or give it back.
      const next = line.waiting.shift();
      if (next !== undefined) next();
      else if (--line.working === 0) lines.delete(key);
    }
  };
}
