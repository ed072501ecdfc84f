// Ending sessions, each with its line in the audit log.
import type { Database } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { deleteSessionOfUser, deleteSessions, endSessions } from '../store/sessions.ts';

export const signOut = (database: Database, idHash: Buffer, address: string, now: Date): Promise<void> =>
  database.transaction(async (transaction) => {
    for (const { userId } of await deleteSessions(transaction, [idHash], now))
      await recordEvent(transaction, { kind: 'signed_out', actorId: userId, userId, address }, now);
  });

/** Ends one session of an account by its public name; the grants that began in it live on (D28). False: there is none. */
export const endSession = (
  database: Database,
  { userId, sid, address }: { userId: string; sid: string; address: string },
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const ended = await deleteSessionOfUser(transaction, userId, sid, now);
    if (ended)
      await recordEvent(
        transaction,
        { kind: 'session_ended', actorId: userId, userId, address, detail: { session: sid } },
        now,
      );
    return ended;
  });

/** Ends all sessions of an account but the one that asks. Gives how many. */
export const endOtherSessions = (
  database: Database,
  { userId, kept, address }: { userId: string; kept: Buffer; address: string },
  now: Date,
): Promise<number> =>
  database.transaction(async (transaction) => {
    const ended = await endSessions(transaction, userId, now, { kept });
    if (ended > 0)
      await recordEvent(
        transaction,
        { kind: 'sessions_ended', actorId: userId, userId, address, detail: { sessions: ended } },
        now,
      );
    return ended;
  });
