// Locks that keep a session from ending during a change.
import { accessDenied } from '../oauth/errors.ts';
import type { Queryable } from './database.ts';
import { execute, hasRows } from './query.ts';
import { LIVE_SESSION_SQL } from './sessions.ts';

export interface Actor {
  userId: string;
  sid?: string | undefined;
}

// `for share` doesn't conflict with the `for key share` of code redemptions. After waiting for the lock, PostgreSQL
// rechecks the condition.
const lockSessionRow = hasRows<[userId: string, sid: string, now: Date]>(
  'lock_session',
  `select s.id_hash from sessions s join users u on u.id = $1::uuid
  where s.user_id = $1::uuid and s.sid = $2::uuid and s.expires_at > $3::timestamptz and ${LIVE_SESSION_SQL}
  order by s.id_hash for share of s`,
);

/**
 * Locks the user's session. A concurrent report of unauthorized activity waits and then removes the changes. Must be
 * called before taking any other lock.
 * @returns false if the session has ended
 */
export const lockSession = async (
  transaction: Queryable,
  { userId, sid }: Actor,
  now: Date,
): Promise<boolean> => sid === undefined || lockSessionRow(transaction, userId, sid, now);

/** @throws OAuthError `access_denied` if the session has ended */
export async function requireLiveSession(transaction: Queryable, actor: Actor, now: Date): Promise<void> {
  if (!(await lockSession(transaction, actor, now))) throw accessDenied('The session has ended.');
}

const lockStatements = [
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
 * All transactions take locks in this order: sessions, clients, APIs, `users`, `emails`. Exception: account creation
 * inserts into `emails` before `users`.
 */
export async function lockAccountChanges(transaction: Queryable, userId: string): Promise<void> {
  for (const lock of lockStatements) await lock(transaction, userId);
}
