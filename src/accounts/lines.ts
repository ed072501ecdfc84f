// Lines: work of one key is done in the order in which it came, so many at a time; a line that is too long says so.
import PQueue from 'p-queue';

/** Does some work while the request that it belongs to counts for nothing (http/overload.ts). */
export type Aside = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** What became of an attempt that found its line too long. */
export const CROWDED = Symbol('crowded');

/** Does work in the turn of its key: at most so many at a time, in the order in which they came. */
export type Line = <Result>(
  key: string,
  aside: Aside,
  work: () => Promise<Result>,
) => Promise<Result | typeof CROWDED>;

/** @param longest how many wait for their turn; the next finds it crowded */
export function openLine(atATime: number, longest: number): Line {
  const lines = new Map<string, PQueue>();
  const open = (key: string): PQueue => {
    const line = new PQueue({ concurrency: atATime });
    line.addEventListener('idle', () => lines.delete(key));
    lines.set(key, line);
    return line;
  };
  return async (key, aside, work) => {
    const line = lines.get(key) ?? open(key);
    if (line.size >= longest) return CROWDED;
    const turn = Promise.withResolvers<void>();
    const done = line.add(() => {
      turn.resolve();
      return work();
    });
    const [result] = await Promise.all([done, aside(() => turn.promise)]);
    return result;
  };
}
