// Pruning as the background does it, without its pauses.
import type { Database } from '../../src/store/database.ts';
import { isOver, type PruneBefore, pruneExpired, startOfWalk, walkOn } from '../../src/store/pruning.ts';

/** Prunes until nothing is left to do. */
export async function pruneAll(database: Database, limits: PruneBefore): Promise<void> {
  while ((await pruneExpired(database, limits))?.more);
  for (let walk = startOfWalk(); !isOver(walk); ) {
    const step = await walkOn(database, limits, walk);
    if (step === undefined) throw new Error('somebody else is walking');
    ({ walk } = step);
  }
}
