// Pruning as the background does it, without its pauses.
import { dayOf } from '../../src/background/activity.ts';
import { noteLiveGrants } from '../../src/store/activity.ts';
import type { Database } from '../../src/store/database.ts';
import {
  type Place,
  type PruneBefore,
  pruneExpired,
  WALKED_TABLES,
  walkOn,
} from '../../src/store/pruning.ts';

/** Prunes until nothing is left to do, counting the grants that are live. @throws Error when another process is at it */
export async function pruneAll(database: Database, limits: PruneBefore): Promise<void> {
  const live = new Map<string, number>();
  for (const table of WALKED_TABLES) {
    let place: Place;
    do {
      const walked = mine(await walkOn(database, table, limits, place));
      place = walked.place;
      if (table !== 'grants') continue;
      for (const [clientId, count] of Object.entries(walked.live))
        live.set(clientId, (live.get(clientId) ?? 0) + count);
    } while (place !== undefined);
  }
  await noteLiveGrants(database, dayOf(limits.now), live);
  while (mine(await pruneExpired(database, limits)).more);
}

/** What a batch has come to. @throws Error when another process is at it */
function mine<Result>(result: Result | undefined): Result {
  if (result === undefined) throw new Error('another process prunes');
  return result;
}
