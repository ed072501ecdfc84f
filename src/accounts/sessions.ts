// Ends sessions and records audit events.

import { recordOwnEvent } from '../store/audit-log.ts';
import type { Database } from '../store/database.ts';
import { deleteSession, deleteSessionOfUser, endSessions, type SessionKey } from '../store/sessions.ts';

export const signOut = (database: Database, session: SessionKey, ip: string, now: Date): Promise<void> =>
  database.transaction(async (transaction) => {
    const { userId } = session;
    if (await deleteSession(transaction, session, now))
      await recordOwnEvent(transaction, { kind: 'signed_out', userId, ip }, now);
  });

/** Ends a session. Grants issued in the session remain valid. Returns false if the session doesn't exist. */
export const endSession = (
  database: Database,
  { userId, sid, ip }: { userId: string; sid: string; ip: string },
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const ended = await deleteSessionOfUser(transaction, userId, sid, now);
    const event = { kind: 'session_ended', userId, ip, detail: { session: sid } } as const;
    if (ended) await recordOwnEvent(transaction, event, now);
    return ended;
  });

export const endOtherSessions = (
  database: Database,
  { userId, exceptIdHash, ip }: { userId: string; exceptIdHash: Buffer; ip: string },
  now: Date,
): Promise<number> =>
  database.transaction(async (transaction) => {
    const count = await endSessions(transaction, userId, now, { exceptIdHash });
    const event = { kind: 'sessions_ended', userId, ip, detail: { sessions: count } } as const;
    if (count > 0) await recordOwnEvent(transaction, event, now);
    return count;
  });
