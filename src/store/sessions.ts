// Browser sessions, known by the hash of the id in the cookie.
import type { Locale } from '../i18n/index.ts';
import type { Person } from '../oauth/claims.ts';
import type { Queryable } from './database.ts';
import type { EventKind } from './events.ts';
import { announceLogouts, type EndedSession } from './logout-deliveries.ts';
import { forgettingGuesses, guessKey } from './password-guesses.ts';
import { type AttemptKeys, settling } from './sign-in-failures.ts';
import { statement } from './statement.ts';
import { PERSON_COLUMNS } from './users.ts';

/** A live session and whose it is. */
export interface Session extends Person {
  /** SHA-256 of the session's id, which only the browser knows. */
  idHash: Buffer;
  /** Digest of the id that it began with: signing in again changes the id, and codes given before stay good. */
  originHash: Buffer;
  /** The public name of the session: the `sid` claim. */
  sid: string;
  authTime: Date;
  /** When the account was created. */
  createdAt: Date;
  /** The epoch of the account that the session began in; it has not moved since. */
  userEpoch: number;
  operator: boolean;
  /** The language that the person chose for the account, if any. */
  locale: Locale | null;
}

/** The columns of a live session; needs `sessions s` and `users u`. */
export const SESSION_COLUMNS = `coalesce(s.origin_hash, s.id_hash) as "originHash", s.sid,
  s.auth_time as "authTime", ${PERSON_COLUMNS}, u.locale, u.created_at as "createdAt", s.user_epoch as "userEpoch", u.operator`;

/** When a session counts: not expired, the account not suspended, no password change since. */
export const LIVE_SESSION = `u.suspended_at is null and u.epoch = s.user_epoch`;

// Previous sessions are found by their own keys: left to the planner, they may be looked for among all of the account's.
const INSERT = statement(
  'insert_session',
  `with used as (
    insert into used_forms (key, expires_at) select $14::bytea, $15::timestamptz where $14::bytea is not null
    on conflict (key) do nothing returning key
  ),
  previous as materialized (
    select sid, user_id, user_epoch, auth_time, coalesce(origin_hash, id_hash) as origin_hash
    from sessions where id_hash = any($9::bytea[]) and expires_at > $4::timestamptz
  ),
  continued as (
    select * from previous where user_id = $3::uuid order by auth_time desc limit 1
  ),
  account as (
    select u.id, u.epoch, u.browser_epoch, coalesce(p.sid, $2::uuid) as sid, p.origin_hash
    from users u left join continued p on p.user_epoch = u.epoch
    where u.id = $3::uuid and u.suspended_at is null and u.password_hash = $8::text
      and ($14::bytea is null or exists (select from used))
      and not exists (select from password_guesses g where g.key = ${guessKey('u.id')} and g.wrong >= $13::int)
  ),
  started as (
    insert into sessions (id_hash, origin_hash, sid, user_id, user_epoch, auth_time, expires_at, address, user_agent)
    select $1::bytea, origin_hash, sid, id, epoch, $4::timestamptz, $5::timestamptz, $6::text, $7::text from account
  ),
  noted as (
    insert into events (at, kind, actor_id, user_id, address, detail)
    select $4::timestamptz, $10::text, id, id, $6::text, '{}' from account
  ),
  settled as (${settling('$11', '$12', '$4')}),
  forgotten as (${forgettingGuesses('$3::uuid', '$11::bytea is not null and exists (select from account)')})
  select sid, browser_epoch as "browserEpoch" from account`,
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
  /** The sessions that the browser had: under the `sid` of the latest live one of this account the new one goes on. */
  previousIdHashes?: readonly Buffer[] | undefined;
  /** What the audit log says of it. */
  kind: Extract<EventKind, 'signed_in' | 'signed_up'>;
  /** The attempt that gave the right password: it is settled, whether or not the session starts. */
  attempt?: AttemptKeys | undefined;
  /** After so many wrong passwords since the last right one it does not start (D60): whoever was faster has used them up. */
  guesses?: number | undefined;
  /** The form that starts one session: it is used up. */
  form?: { key: Buffer; until: Date } | undefined;
}

/**
 * Starts a session, with its line in the audit log.
 * @returns its `sid`, and the number that a browser at home in this account carries; or undefined when the account was
 *   deleted, suspended or given another password meanwhile, the last guess at it was used up, or the form before
 */
export async function insertSession(
  database: Queryable,
  session: NewSession,
): Promise<{ sid: string; browserEpoch: number } | undefined> {
  const [row] = await database.query<{ sid: string; browserEpoch: number }>(INSERT, [
    session.idHash,
    session.sid,
    session.userId,
    session.authTime,
    session.expiresAt,
    session.address,
    session.userAgent,
    session.passwordHash,
    session.previousIdHashes ?? [],
    session.kind,
    session.attempt?.accountKey ?? null,
    session.attempt?.addressKey ?? null,
    session.guesses ?? null,
    session.form?.key ?? null,
    session.form?.until ?? null,
  ]);
  return row;
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
  const [row] = await database.query<Omit<Session, 'idHash'>>(FIND, [idHash, now]);
  return row && { ...row, idHash };
}

const FIND_OWNER = statement(
  'find_session_owner',
  'select user_id as "userId" from sessions where id_hash = $1::bytea',
);

/** Whose session it is or was, as long as it is remembered. */
export async function findSessionOwner(database: Queryable, idHash: Buffer): Promise<string | undefined> {
  const [row] = await database.query<{ userId: string }>(FIND_OWNER, [idHash]);
  return row?.userId;
}

const FIND_SEVERAL = statement(
  'find_sessions',
  `select ${SESSION_COLUMNS}, s.id_hash as "idHash" from sessions s join users u on u.id = s.user_id
  where s.id_hash = any($1::bytea[]) and s.expires_at > $2::timestamptz and ${LIVE_SESSION}`,
);

/** The live ones of several sessions, in no order. */
export const findSessions = (
  database: Queryable,
  idHashes: readonly Buffer[],
  now: Date,
): Promise<Session[]> => database.query(FIND_SEVERAL, [idHashes, now]);

const RENEW_AUTH_TIME = statement(
  'renew_auth_time',
  'update sessions set auth_time = $2::timestamptz where id_hash = $1::bytea',
);

/** The person has just proved again who they are. */
export async function renewAuthTime(database: Queryable, idHash: Buffer, now: Date): Promise<void> {
  await database.query(RENEW_AUTH_TIME, [idHash, now]);
}

// A code holds the session that it rests on while it is redeemed (`for key share`), so deleting one waits for that.

const DELETE = statement(
  'delete_session',
  `delete from sessions where id_hash = $1::bytea returning user_id as "userId", sid`,
);

/** Ends a session, and tells whose it was; undefined when there was none. */
export async function deleteSession(
  transaction: Queryable,
  idHash: Buffer,
  now: Date,
): Promise<string | undefined> {
  const ended = await transaction.query<EndedSession>(DELETE, [idHash]);
  await announceLogouts(transaction, ended, now);
  return ended[0]?.userId;
}

const DELETE_SEVERAL = statement(
  'delete_sessions',
  `with locked as (
    select s.id_hash from sessions s where s.id_hash = any($1::bytea[]) order by s.id_hash for update
  )
  delete from sessions s using locked where s.id_hash = locked.id_hash returning s.user_id as "userId", s.sid`,
);

/** Ends sessions that a browser has no more since this account signed in; its own goes on under the new id, or is over. */
export async function deletePreviousSessions(
  transaction: Queryable,
  idHashes: readonly Buffer[],
  userId: string,
  now: Date,
): Promise<void> {
  const ended = await transaction.query<EndedSession>(DELETE_SEVERAL, [idHashes]);
  await announceLogouts(
    transaction,
    ended.filter((session) => session.userId !== userId),
    now,
  );
}

/** A live session as its owner sees it among the others. */
export interface SessionRow {
  sid: string;
  idHash: Buffer;
  /** When the person last proved who they are. */
  authTime: Date;
  lastSeenAt: Date;
  /** Where it was last seen. Empty once it is forgotten. */
  address: string;
  userAgent: string;
}

const LIST = statement(
  'list_sessions',
  `select s.sid, s.id_hash as "idHash", s.auth_time as "authTime", coalesce(s.last_seen_at, s.auth_time) as "lastSeenAt",
    s.address, s.user_agent as "userAgent"
  from sessions s join users u on u.id = s.user_id
  where s.user_id = $1::uuid and s.expires_at > $2::timestamptz and ${LIVE_SESSION}
  order by coalesce(s.last_seen_at, s.auth_time) desc, s.sid`,
);

/** The live sessions of an account, the one last seen first. */
export const listSessions = (database: Queryable, userId: string, now: Date): Promise<SessionRow[]> =>
  database.query(LIST, [userId, now]);

const DELETE_OF_USER = statement(
  'delete_session_of_user',
  'delete from sessions where user_id = $1::uuid and sid = $2::uuid returning user_id as "userId", sid',
);

/** Ends a session by its public name, if it is this account's. False when there is none. */
export async function deleteSessionOfUser(
  transaction: Queryable,
  userId: string,
  sid: string,
  now: Date,
): Promise<boolean> {
  const ended = await transaction.query<EndedSession>(DELETE_OF_USER, [userId, sid]);
  await announceLogouts(transaction, ended, now);
  return ended.length > 0;
}

const DELETE_DISOWNED = statement(
  'delete_disowned_sessions',
  `delete from sessions where user_id = $1::uuid and (sid = $2::uuid or auth_time > $3::timestamptz)
  returning user_id as "userId", sid`,
);

/** Ends a session, and those that somebody entered since a moment. Gives their public names. */
export async function endDisownedSessions(
  transaction: Queryable,
  { userId, sid, since }: { userId: string; sid: string; since: Date },
  now: Date,
): Promise<string[]> {
  const ended = await transaction.query<EndedSession>(DELETE_DISOWNED, [userId, sid, since]);
  await announceLogouts(transaction, ended, now);
  return ended.map((session) => session.sid);
}

// Whoever redeems codes of several of them at once waits for nothing here, nor is waited for: that could be a circle.
// What it redeems is found afterwards. Ended for clocks, too, that are a little behind.
const END_OTHERS = statement(
  'end_other_sessions',
  `with locked as (
    select s.id_hash from sessions s
    where s.user_id = $1::uuid and s.id_hash <> $2::bytea and s.expires_at > $3::timestamptz
    order by s.id_hash for no key update
  )
  update sessions s set expires_at = $3::timestamptz - interval '10 minutes'
  from locked where s.id_hash = locked.id_hash
  returning s.user_id as "userId", s.sid`,
);

/** Ends all sessions of an account but one; they stay to be looked at. Gives how many there were. */
export async function endOtherSessions(
  transaction: Queryable,
  userId: string,
  keptHash: Buffer,
  now: Date,
): Promise<number> {
  const ended = await transaction.query<EndedSession>(END_OTHERS, [userId, keptHash, now]);
  await announceLogouts(transaction, ended, now);
  return ended.length;
}

const END_ALL = statement(
  'end_sessions_of_user',
  `with locked as (
    select s.id_hash from sessions s where s.user_id = $1::uuid and s.expires_at > $2::timestamptz
    order by s.id_hash for no key update
  )
  update sessions s set expires_at = $2::timestamptz from locked where s.id_hash = locked.id_hash
  returning s.user_id as "userId", s.sid`,
);

/**
 * Ends every session of an account whose epoch changes, or that is about to go. They stay to be looked at. What is
 * redeemed at this moment is not waited for: its tokens are dead on arrival.
 */
export async function endSessionsOfUser(transaction: Queryable, userId: string, now: Date): Promise<void> {
  await announceLogouts(transaction, await transaction.query<EndedSession>(END_ALL, [userId, now]), now);
}
