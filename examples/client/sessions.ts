// In-memory browser sessions. Tokens never leave the server.
import { randomBytes } from 'node:crypto';
import type { PendingSignIn, Tokens } from './service.ts';

export interface Session {
  id: string;
  /** Sign-ins in progress by `state`. Several tabs can sign in at the same time. */
  pending: Map<string, PendingSignIn>;
  user?: { sub: string; tokens: Tokens };
  /** Concurrent requests share the refresh in progress. */
  refresh?: Promise<void>;
  /** Milliseconds since 1970. */
  lastUse: number;
}

const idleTtlMs = 8 * 60 * 60 * 1000;
const maxSessions = 10_000;
const maxPendingSignIns = 10;

function dropOldest<Value>(entries: Map<string, Value>, limit: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= limit) return;
    entries.delete(key);
  }
}

/** Stores at most 10,000 sessions. They expire after 8 hours of inactivity. */
export function createSessions() {
  const sessions = new Map<string, Session>();

  /** Keeps the map ordered by last use. */
  function touch(session: Session): Session {
    sessions.delete(session.id);
    sessions.set(session.id, session);
    session.lastUse = Date.now();
    dropOldest(sessions, maxSessions);
    return session;
  }

  return {
    start(): Session {
      return touch({ id: randomBytes(32).toString('base64url'), pending: new Map(), lastUse: 0 });
    },

    find(id: string | undefined): Session | undefined {
      const session = id === undefined ? undefined : sessions.get(id);
      if (!session) return undefined;
      if (Date.now() - session.lastUse <= idleTtlMs) return touch(session);
      sessions.delete(session.id);
      return undefined;
    },

    addPending(session: Session, pending: PendingSignIn): void {
      session.pending.set(pending.state, pending);
      dropOldest(session.pending, maxPendingSignIns);
    },

    /** Returns and removes the pending sign-in, so that each response is accepted only once. */
    takePending(session: Session, state: unknown): PendingSignIn | undefined {
      const pending = typeof state === 'string' ? session.pending.get(state) : undefined;
      if (pending) session.pending.delete(pending.state);
      return pending;
    },

    /** Changes the session ID to prevent session fixation. */
    rotate(session: Session): void {
      sessions.delete(session.id);
      session.id = randomBytes(32).toString('base64url');
      touch(session);
    },

    end(session: Session): void {
      sessions.delete(session.id);
    },
  };
}
