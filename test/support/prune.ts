// Pruning as the background does it, without its pauses.
import type { Database } from '../../src/store/database.ts';
import {
  type Place,
  type PruneBefore,
  pruneExpired,
  WALKED_TABLES,
  walkOn,
} from '../../src/store/pruning.ts';

/** Prunes until nothing is left to do. @throws Error when another process is at it */
export async function pruneAll(database: Database, limits: PruneBefore): Promise<void> {
  while (mine(await pruneExpired(database, limits)).more);
  for (const table of WALKED_TABLES) {
    let place: Place;
    do ({ place } = mine(await walkOn(database, table, limits, place)));
    while (place !== undefined);
  }
}

/** What a batch has come to. @throws Error when another process is at it */
export function mine<Result>(result: Result | undefined): Result {
  if (result === undefined) throw new Error('another process prunes');
  return result;
}
