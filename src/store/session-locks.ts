// Locks that order changes of an account: against the end of the session that makes them, and against each other.
import { accessDenied } from '../oauth/errors.ts';
import type { Queryable } from './database.ts';
import { LIVE_SESSION } from './sessions.ts';
import { statement } from './statement.ts';

/** The user who acts, and the session. Without a session the command line acts for the user. */
export interface Actor {
  userId: string;
  sid?: string | undefined;
}

// Neither lock conflicts with redeeming codes, which takes `for key share`.
const LOCK = statement(
  'lock_session',
  'select s.id_hash from sessions s where s.user_id = $1::uuid and s.sid = $2::uuid order by s.id_hash for share of s',
);
const FIND = statement(
  'find_held_session',
  `select s.id_hash from sessions s join users u on u.id = s.user_id
  where s.user_id = $1::uuid and s.sid = $2::uuid and s.expires_at > $3::timestamptz and ${LIVE_SESSION} limit 1`,
);

/**
 * Locks the session that makes a change until the transaction ends, so that a report of unauthorized activity waits for
 * the change and removes it. Call it before anything else is locked.
 * @returns false if the session has ended
 */
export async function holdSession(transaction: Queryable, actor: Actor, now: Date): Promise<boolean> {
  if (actor.sid === undefined) return true;
  await transaction.query(LOCK, [actor.userId, actor.sid]);
  // A second statement, because the first one may have waited for the lock.
  return (await transaction.query(FIND, [actor.userId, actor.sid, now])).length > 0;
}

/** The same. @throws OAuthError `access_denied` if the session has ended */
export async function requireSession(transaction: Queryable, actor: Actor, now: Date): Promise<void> {
  if (!(await holdSession(transaction, actor, now))) throw accessDenied('The session has ended.');
}

const LOCK_ALL = statement(
  'lock_sessions_of_user',
  'select s.id_hash from sessions s where s.user_id = $1::uuid order by s.id_hash for no key update of s',
);
const LOCK_APPLICATIONS = statement(
  'lock_own_applications',
  'select c.client_id from clients c where c.owner_id = $1::uuid order by c.client_id for no key update of c',
);
const LOCK_APIS = statement(
  'lock_own_apis',
  'select a.api_id from apis a where a.owner_id = $1::uuid order by a.api_id for no key update of a',
);

/**
 * Locks the sessions, clients and APIs of an account until the transaction ends, so that none of its sessions changes
 * anything meanwhile. Call it before anything locks the account itself.
 *
 * Lock order of every transaction: sessions, then clients, then APIs, then `users`. A change made in a session holds that
 * session first (`holdSession`), so the two can't deadlock.
 */
export async function holdAllChanges(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query(LOCK_ALL, [userId]);
  await transaction.query(LOCK_APPLICATIONS, [userId]);
  await transaction.query(LOCK_APIS, [userId]);
}
