// Owns the browser sessions of this application: in memory, gone with the process. Tokens never leave the server.
import { randomBytes } from 'node:crypto';
import type { PendingSignIn, Tokens } from './service.ts';

export interface Session {
  id: string;
  /** Sign-ins under way, by `state`: two tabs may each have theirs. */
  pending: Map<string, PendingSignIn>;
  /** Who is signed in; `sub` is the only key by which this application knows people (contract §1). */
  person?: { sub: string; tokens: Tokens };
  /** The renewal under way, so that two clicks present a refresh token only once. */
  renewal?: Promise<void>;
  /** Milliseconds since 1970. */
  lastUse: number;
}

const idleLimit = 8 * 60 * 60 * 1000;
const sessionLimit = 10_000;
const pendingLimit = 10;

function dropOldest<Value>(entries: Map<string, Value>, limit: number): void {
  for (const key of entries.keys()) {
    if (entries.size <= limit) return;
    entries.delete(key);
  }
}

/** A store of at most 10,000 sessions; each is forgotten after 8 hours without use. */
export function createSessions() {
  const sessions = new Map<string, Session>();

  /** Puts the session last, so that the map stays in order of use. */
  function keep(session: Session): Session {
    sessions.delete(session.id);
    sessions.set(session.id, session);
    session.lastUse = Date.now();
    dropOldest(sessions, sessionLimit);
    return session;
  }

  return {
    start(): Session {
      return keep({ id: randomBytes(32).toString('base64url'), pending: new Map(), lastUse: 0 });
    },

    find(id: string | undefined): Session | undefined {
      const session = id === undefined ? undefined : sessions.get(id);
      if (!session) return undefined;
      if (Date.now() - session.lastUse <= idleLimit) return keep(session);
      sessions.delete(session.id);
      return undefined;
    },

    addPending(session: Session, pending: PendingSignIn): void {
      session.pending.set(pending.state, pending);
      dropOldest(session.pending, pendingLimit);
    },

    /** Takes a sign-in out of the session: a response may be tried once, whatever comes of it. */
    takePending(session: Session, state: unknown): PendingSignIn | undefined {
      const pending = typeof state === 'string' ? session.pending.get(state) : undefined;
      if (pending) session.pending.delete(pending.state);
      return pending;
    },

    /** Gives the session another id, so that an id known from before signing in is worth nothing. */
    rotate(session: Session): void {
      sessions.delete(session.id);
      session.id = randomBytes(32).toString('base64url');
      keep(session);
    },

    end(session: Session): void {
      sessions.delete(session.id);
    },
  };
}
