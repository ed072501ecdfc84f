// Browser sessions, known by the hash of the id in the cookie.
import type { Person } from '../oauth/claims.ts';
import { type Queryable, statement } from './database.ts';

/** A live session and whose it is. */
export interface Session extends Person {
  /** The public name of the session: the `sid` claim. */
  sid: string;
  authTime: Date;
  /** When the account was created. */
  createdAt: Date;
  /** The epoch of the account that the session began in; it has not moved since. */
  userEpoch: number;
}

/** The columns of a live session; needs `sessions s` and `users u`. */
export const SESSION_COLUMNS = `s.sid, s.auth_time as "authTime", u.id as "userId", u.name, u.email,
  u.email_verified as "emailVerified", u.phone, u.profile_updated_at as "profileUpdatedAt", u.created_at as "createdAt", s.user_epoch as "userEpoch"`;

/** When a session counts: not expired, the account not suspended, no password change since. */
export const LIVE_SESSION = `u.suspended_at is null and u.epoch = s.user_epoch`;

const INSERT = statement(
  'insert_session',
  `insert into sessions (id_hash, sid, user_id, user_epoch, auth_time, expires_at, address, user_agent)
  select $1::bytea, $2::uuid, u.id, u.epoch, $4::timestamptz, $5::timestamptz, $6::text, $7::text
  from users u where u.id = $3::uuid and u.suspended_at is null and u.password_hash = $8::text
  returning id_hash`,
);

export interface NewSession {
  idHash: Buffer;
  sid: string;
  userId: string;
  authTime: Date;
  expiresAt: Date;
  address: string;
  userAgent: string;
  /** The hash that the password was verified against: a change in between makes no session. */
  passwordHash: string;
}

/** Starts a session; false when the account was deleted, suspended or given another password meanwhile. */
export async function insertSession(database: Queryable, session: NewSession): Promise<boolean> {
  const rows = await database.query(INSERT, [
    session.idHash,
    session.sid,
    session.userId,
    session.authTime,
    session.expiresAt,
    session.address,
    session.userAgent,
    session.passwordHash,
  ]);
  return rows.length === 1;
}

const FIND = statement(
  'find_session',
  `select ${SESSION_COLUMNS} from sessions s join users u on u.id = s.user_id
  where s.id_hash = $1::bytea and s.expires_at > $2::timestamptz and ${LIVE_SESSION}`,
);

/** The live session behind the hash of a cookie's id. */
export async function findSession(
  database: Queryable,
  idHash: Buffer,
  now: Date,
): Promise<Session | undefined> {
  const [row] = await database.query<Session>(FIND, [idHash, now]);
  return row;
}

const DELETE = statement('delete_session', 'delete from sessions where id_hash = $1::bytea');

/** Ends a session. */
export async function deleteSession(database: Queryable, idHash: Buffer): Promise<void> {
  await database.query(DELETE, [idHash]);
}
