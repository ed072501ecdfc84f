// The sessions of one browser: several accounts may be signed in at once, each in a session of its own (ADR 12).
import { sessionDigest } from '../oauth/digests.ts';
import type { Database } from '../store/database.ts';
import { BROWSER_SESSIONS, deletePreviousSessions, findSessions } from '../store/sessions.ts';

/**
 * What becomes of a browser's sessions when one more begins: other accounts stay signed in, as many as there may be, and
 * everything else ends.
 * @returns the ids of those that stay
 */
export async function settleBrowser(
  database: Database,
  sessionIds: readonly string[],
  begun: { id: string; userId: string },
  now: Date,
): Promise<string[]> {
  const before = sessionIds.filter((id) => id !== begun.id); // it is among them where its form was sent twice
  if (before.length === 0) return [];
  const hashes = new Map(before.map((id) => [id, sessionDigest(id)]));
  const live = await findSessions(database, [...hashes.values()], now);
  const isOthers = (hash: Buffer) =>
    live.some(({ idHash, userId }) => idHash.equals(hash) && userId !== begun.userId);
  const stays = [...hashes]
    .flatMap(([id, hash]) => (isOthers(hash) ? [id] : []))
    .slice(0, BROWSER_SESSIONS - 1);
  const gone = [...hashes].flatMap(([id, hash]) => (stays.includes(id) ? [] : [hash]));
  if (gone.length > 0)
    await database.transaction((transaction) => deletePreviousSessions(transaction, gone, begun.userId, now));
  return stays;
}
