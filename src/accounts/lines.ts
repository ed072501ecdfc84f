// Lines: work of one key is done in the order in which it came, so many at a time; a line that is too long says so.

/** Does some work while the request that it belongs to counts for nothing (http/overload.ts). */
export type Aside = <Result>(work: () => Promise<Result>) => Promise<Result>;

export const CROWDED = Symbol('crowded');

/** Does work in the turn of its key: at most so many at a time, in the order in which they came. */
export type Line = <Result>(
  key: string,
  aside: Aside,
  work: () => Promise<Result>,
) => Promise<Result | typeof CROWDED>;

/** @param longest how many wait for their turn; the next finds it crowded */
export function openLine(atATime: number, longest: number): Line {
  const lines = new Map<string, { working: number; waiting: (() => void)[] }>();
  return async (key, aside, work) => {
    const line = lines.get(key) ?? { working: 0, waiting: [] };
    lines.set(key, line);
    if (line.working < atATime) line.working += 1;
    else if (line.waiting.length >= longest) return CROWDED;
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
