// Browser sessions, known by the hash of the id in the cookie.
import type { Locale } from '../i18n/index.ts';
import type { Method } from '../oauth/authentication-methods.ts';
import type { Person } from '../oauth/claims.ts';
import { sessionDigest } from '../oauth/digests.ts';
import { accountOfSecret } from '../oauth/secrets.ts';
import type { Database, Queryable } from './database.ts';
import { announceLogouts, type EndedSession } from './logout-deliveries.ts';
import { affects, execute, findAll, findHot } from './query.ts';
import { acceptingStep, type FoundCode, usingRecoveryCode } from './second-factors.ts';
import { statement } from './statement.ts';
import { PERSON_COLUMNS } from './users.ts';

export const BROWSER_SESSIONS = 5;

/** The primary key of a session. */
export interface SessionKey {
  userId: string;
  /** SHA-256 of the session's id, which only the browser knows. */
  idHash: Buffer;
}

/** The key of a session id, or undefined for any other text. The account may be made up, but then no digest matches. */
export function sessionKeyOf(id: string): SessionKey | undefined {
  const userId = accountOfSecret(id);
  return userId === undefined ? undefined : { userId, idHash: sessionDigest(id) };
}

export interface Session extends Person, SessionKey {
  /** Digest of the id that it began with: signing in again changes the id, and codes given before stay good. */
  originHash: Buffer;
  /** The public name of the session: the `sid` claim. */
  sid: string;
  /** When it started: signing in again in the same browser, or a new password, continues it. */
  startedAt: Date;
  authTime: Date;
  /** When all that the account asks for was shown: earlier, where a code was added since, or something was set up. */
  fullyProvenAt: Date;
  createdAt: Date;
  /** The epoch of the account that the session began in; it has not moved since. */
  userEpoch: number;
  operator: boolean;
  /** What was shown to get in, or to confirm it last, and beside that since. */
  methods: Method[];
  hasPassword: boolean;
  /** Null if unknown. */
  passwordChosenAt: Date | null;
  /** Whether the account asks for the code of an authenticator app, too. */
  asksForCode: boolean;
  /** What its passkeys would show: nothing where it has none. */
  passkeyMethods: Method[];
  locale: Locale | null;
}

/** The columns of a live session; needs `sessions s` and `users u`. @param userId the account's parameter */
export const sessionColumns = (
  userId: string,
): string => `coalesce(s.origin_hash, s.id_hash) as "originHash", s.sid,
  s.started_at as "startedAt", s.auth_time as "authTime", coalesce(s.fully_proven_at, s.auth_time) as "fullyProvenAt", ${PERSON_COLUMNS}, u.locale, u.created_at as "createdAt", s.user_epoch as "userEpoch", u.operator,
  s.methods, u.password_hash is not null as "hasPassword",
  u.password_chosen_at as "passwordChosenAt", u.totp_secret is not null as "asksForCode",
  case when u.passkey_count = 0 then '{}' else array(
    select distinct case when p.synced then 'swk' else 'hwk' end from passkeys p where p.user_id = ${userId}::uuid
  ) end as "passkeyMethods"`;

/** When a session counts: not expired, the account not suspended, no password change since. */
export const LIVE_SESSION = `u.suspended_at is null and u.epoch = s.user_epoch`;

/** Whether there is a session or was one, as long as its row is kept. */
export const wasSession = affects<[key: SessionKey]>(
  'was_session',
  'select 1 as one from sessions where user_id = $1::uuid and id_hash = $2::bytea',
  ({ userId, idHash }) => [userId, idHash],
);

/** Finds a live session. */
export const findSession = findHot<Session, [key: SessionKey, now: Date]>(
  'find_session',
  `select ${sessionColumns('$1')}, s.id_hash as "idHash" from sessions s join users u on u.id = $1::uuid
  where s.user_id = $1::uuid and s.id_hash = $2::bytea and s.expires_at > $3::timestamptz and ${LIVE_SESSION}`,
  ({ userId, idHash }, now) => [userId, idHash, now],
);

/** Whether a passkey was shown or made in a session, as a condition; needs `sessions s`. */
export const HAD_PASSKEY = `(s.passkey_before or s.methods && array['hwk', 'swk'])`;

/** Finds the live ones of several sessions, by their ids and in their order. The statements go out together. */
export async function findSessionsById(
  database: Pick<Database, 'hotRead'>,
  ids: readonly string[],
  now: Date,
): Promise<Map<string, Session>> {
  const found = await Promise.all(
    ids.map(async (id): Promise<[string, Session][]> => {
      const key = sessionKeyOf(id);
      const session = key && (await findSession(database, key, now));
      return session === undefined ? [] : [[id, session]];
    }),
  );
  return new Map(found.flat());
}

/** Records a re-authentication by all factors of the account, as a sign-in does. */
export const renewAuthTime = execute<[key: SessionKey, methods: readonly Method[], now: Date]>(
  'renew_auth_time',
  `update sessions s set auth_time = $4::timestamptz, fully_proven_at = null, methods = $3::text[],
    passkey_before = ${HAD_PASSKEY}
  where s.user_id = $1::uuid and s.id_hash = $2::bytea`,
  ({ userId, idHash }, methods, now) => [userId, idHash, methods, now],
);

/** Records one more factor, as part of a statement. When all factors were shown stays as it was. */
const showing = (now: string, methods: string): string => `auth_time = ${now}::timestamptz,
    fully_proven_at = coalesce(s.fully_proven_at, s.auth_time),
    methods = array(select distinct m from unnest(s.methods || ${methods}::text[]) m)`;

/** Adds what was just set up, and thereby shown, to what a session has shown. */
export const noteShown = execute<[key: SessionKey, method: Method, now: Date]>(
  'note_shown',
  `update sessions s set ${showing('$4', 'array[$3]')} where s.user_id = $1::uuid and s.id_hash = $2::bytea`,
  ({ userId, idHash }, method, now) => [userId, idHash, method, now],
);

// The code is used up by the statement that writes it down: `$4` is its own. The session is locked before the account.
const steppingUp = (proving: (condition: string) => string): string => `with held as materialized (
    select s.id_hash from sessions s where s.user_id = $1::uuid and s.id_hash = $2::bytea for no key update
  ),
  proved as (${proving('and exists (select from held)')})
  update sessions s set ${showing('$3', "array['otp']")} from users u
  where s.user_id = $1::uuid and s.id_hash = $2::bytea and s.expires_at > $3::timestamptz
    and u.id = $1::uuid and ${LIVE_SESSION} and exists (select from proved)
  returning s.sid`;

const STEP_UP = {
  app: statement(
    'step_up_by_app',
    steppingUp((held) => acceptingStep('$1', '$4', held)),
  ),
  'recovery code': statement(
    'step_up_by_recovery_code',
    steppingUp((held) => usingRecoveryCode('$1', '$4', '$3', held)),
  ),
} as const;

/** Adds the code of the app, or a recovery code, to what a session has shown. False where the code was used, or the session is over. */
export async function stepSessionUp(
  database: Queryable,
  { userId, idHash }: SessionKey,
  code: FoundCode,
  now: Date,
): Promise<boolean> {
  const own = code.by === 'app' ? code.step : code.codeHash;
  return (await database.query(STEP_UP[code.by], [userId, idHash, now, own])).length === 1;
}

// A redemption holds its session (`for key share`), so ending one waits for it, and finds its grant.

const deleteByKey = findAll<EndedSession, [key: SessionKey]>(
  'delete_session',
  'delete from sessions where user_id = $1::uuid and id_hash = $2::bytea returning user_id as "userId", sid',
  ({ userId, idHash }) => [userId, idHash],
);

/**
 * Deletes a session. Returns false if there is none.
 * @param options.continued whether it continues under another id, so that its clients aren't notified
 */
export async function deleteSession(
  transaction: Queryable,
  key: SessionKey,
  now: Date,
  { continued = false } = {},
): Promise<boolean> {
  const ended = await deleteByKey(transaction, key);
  if (!continued) await announceLogouts(transaction, ended, now);
  return ended.length > 0;
}

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

export const listSessions = findAll<SessionRow, [userId: string, now: Date]>(
  'list_sessions',
  `select s.sid, s.id_hash as "idHash", s.auth_time as "authTime", coalesce(s.last_seen_at, s.auth_time) as "lastSeenAt",
    s.address, s.user_agent as "userAgent"
  from sessions s join users u on u.id = $1::uuid
  where s.user_id = $1::uuid and s.expires_at > $2::timestamptz and ${LIVE_SESSION}
  order by coalesce(s.last_seen_at, s.auth_time) desc, s.sid`,
);

const deleteBySid = findAll<EndedSession, [userId: string, sid: string]>(
  'delete_session_of_user',
  'delete from sessions where user_id = $1::uuid and sid = $2::uuid returning user_id as "userId", sid',
);

/** Deletes a session by its public name. Returns false if it isn't the account's. */
export async function deleteSessionOfUser(
  transaction: Queryable,
  userId: string,
  sid: string,
  now: Date,
): Promise<boolean> {
  const ended = await deleteBySid(transaction, userId, sid);
  await announceLogouts(transaction, ended, now);
  return ended.length > 0;
}

const ENDED = `s.user_id = $1::uuid and s.expires_at > $2::timestamptz and s.id_hash is distinct from $3::bytea
    and (not $4::boolean or ${HAD_PASSKEY})`;

// They are locked in the order of their keys, all before the first is updated. Ended for clocks, too, that are a little behind.
const end = findAll<EndedSession, [userId: string, now: Date, kept: Buffer | null, passkeyOnly: boolean]>(
  'end_sessions',
  `with locked as (select s.id_hash from sessions s where ${ENDED} order by s.id_hash for update)
  update sessions s set expires_at = $2::timestamptz - interval '10 minutes'
  where ${ENDED} and (select count(*) from locked) > 0
  returning s.user_id as "userId", s.sid`,
);

/**
 * Ends sessions of an account, which keeps them on its list of past ones.
 * @param options.kept the session that goes on
 * @param options.passkeyOnly ends only those in which a passkey was used or added
 * @returns how many
 */
export async function endSessions(
  transaction: Queryable,
  userId: string,
  now: Date,
  { kept = null, passkeyOnly = false }: { kept?: Buffer | null; passkeyOnly?: boolean } = {},
): Promise<number> {
  const ended = await end(transaction, userId, now, kept, passkeyOnly);
  await announceLogouts(transaction, ended, now);
  return ended.length;
}
