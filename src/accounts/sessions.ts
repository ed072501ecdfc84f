// Ending sessions, each with its line in the audit log.
import type { Database } from '../store/database.ts';
import { recordOwnEvent } from '../store/events.ts';
import { deleteSession, deleteSessionOfUser, endSessions, type SessionKey } from '../store/sessions.ts';

export const signOut = (database: Database, session: SessionKey, address: string, now: Date): Promise<void> =>
  database.transaction(async (transaction) => {
    const { userId } = session;
    if (await deleteSession(transaction, session, now))
      await recordOwnEvent(transaction, { kind: 'signed_out', userId, address }, now);
  });

/** Ends one session of an account by its public name; the grants that began in it live on (D28). False: there is none. */
export const endSession = (
  database: Database,
  { userId, sid, address }: { userId: string; sid: string; address: string },
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const ended = await deleteSessionOfUser(transaction, userId, sid, now);
    const event = { kind: 'session_ended', userId, address, detail: { session: sid } } as const;
    if (ended) await recordOwnEvent(transaction, event, now);
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
    const event = { kind: 'sessions_ended', userId, address, detail: { sessions: ended } } as const;
    if (ended > 0) await recordOwnEvent(transaction, event, now);
    return ended;
  });
