// Locks that order changes of an account: against the end of the session that makes them, and against each other.
import { accessDenied } from '../oauth/errors.ts';
import type { Queryable } from './database.ts';
import { affects, execute } from './query.ts';
import { LIVE_SESSION } from './sessions.ts';

/** The user who acts, and the session. Without a session the command line acts for the user. */
export interface Actor {
  userId: string;
  sid?: string | undefined;
}

// Doesn't conflict with redeeming codes, which takes `for key share`. After a wait, the condition on the session is checked again.
const lockSession = affects<[userId: string, sid: string, now: Date]>(
  'lock_session',
  `select s.id_hash from sessions s join users u on u.id = $1::uuid
  where s.user_id = $1::uuid and s.sid = $2::uuid and s.expires_at > $3::timestamptz and ${LIVE_SESSION}
  order by s.id_hash for share of s`,
);

/**
 * Locks the session that makes a change until the transaction ends, so that a report of unauthorized activity waits for
 * the change and removes it. Call it before anything else is locked.
 * @returns false if the session has ended
 */
export const holdSession = async (
  transaction: Queryable,
  { userId, sid }: Actor,
  now: Date,
): Promise<boolean> => sid === undefined || lockSession(transaction, userId, sid, now);

/** The same. @throws OAuthError `access_denied` if the session has ended */
export async function requireSession(transaction: Queryable, actor: Actor, now: Date): Promise<void> {
  if (!(await holdSession(transaction, actor, now))) throw accessDenied('The session has ended.');
}

const locks = [
  ['sessions', 'id_hash', 'user_id'],
  ['clients', 'client_id', 'owner_id'],
  ['apis', 'api_id', 'owner_id'],
].map(([table, id, owner]) =>
  execute<[userId: string]>(
    `lock_${table}_of_user`,
    `select ${id} from ${table} where ${owner} = $1::uuid order by ${id} for no key update`,
  ),
);

/**
 * Locks the sessions, clients and APIs of an account until the transaction ends, so that none of its sessions changes
 * anything meanwhile. Call it before anything locks the account itself.
 *
 * Lock order of every transaction: sessions, then clients, then APIs, then `users`, then `emails`. A change made in a session
 * holds that session first (`holdSession`), so the two can't deadlock. Only a new account has its email before its row in `users`.
 */
export async function holdAllChanges(transaction: Queryable, userId: string): Promise<void> {
  for (const lock of locks) await lock(transaction, userId);
}
