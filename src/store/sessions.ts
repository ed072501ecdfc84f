// Browser sessions, keyed by the hash of the session id in the cookie.
import type { Locale } from '../i18n/index.ts';
import type { AuthenticationMethod } from '../oauth/authentication-methods.ts';
import type { ClaimsSubject } from '../oauth/claims.ts';
import { sessionDigest } from '../oauth/digests.ts';
import { parseSecretUserId } from '../oauth/secrets.ts';
import type { Database, Queryable } from './database.ts';
import { type EndedSession, queueLogoutDeliveries } from './logout-deliveries.ts';
import { acceptTotpStepSql, useRecoveryCodeSql, type VerifiedCode } from './mfa-factors.ts';
import { execute, findAll, findHot, findOne, hasRows } from './query.ts';
import { statement } from './statement.ts';
import { CLAIMS_SUBJECT_COLUMNS } from './users.ts';

export const MAX_SESSIONS_PER_BROWSER = 5;

export interface SessionKey {
  userId: string;
  idHash: Buffer;
}

/** Doesn't verify the user id. This is safe because the hash can't match another account's session. */
export function parseSessionId(id: string): SessionKey | undefined {
  const userId = parseSecretUserId(id);
  return userId === undefined ? undefined : { userId, idHash: sessionDigest(id) };
}

export interface Session extends ClaimsSubject, SessionKey {
  /** Hash of the session's first id. Codes refer to this hash because a sign-in changes the id. */
  originHash: Buffer;
  sid: string;
  /** A new sign-in or a password change in the same browser keeps this time. */
  startedAt: Date;
  authTime: Date;
  /** When the user last presented all factors. `authTime` may be later, after a step-up. */
  allFactorsAt: Date;
  createdAt: Date;
  userEpoch: number;
  isAdmin: boolean;
  methods: AuthenticationMethod[];
  hasPassword: boolean;
  passwordSetAt: Date | null;
  requiresTotp: boolean;
  passkeyMethods: AuthenticationMethod[];
  locale: Locale | null;
}

export const sessionColumnsSql = (
  userId: string,
): string => `coalesce(s.origin_hash, s.id_hash) as "originHash", s.sid,
  s.started_at as "startedAt", s.auth_time as "authTime", coalesce(s.all_factors_at, s.auth_time) as "allFactorsAt", ${CLAIMS_SUBJECT_COLUMNS}, u.locale, u.created_at as "createdAt", s.user_epoch as "userEpoch", u.is_admin as "isAdmin",
  s.methods, u.password_hash is not null as "hasPassword",
  u.password_set_at as "passwordSetAt", u.totp_secret is not null as "requiresTotp",
  case when u.passkey_count = 0 then '{}' else array(
    select distinct case when p.synced then 'swk' else 'hwk' end from passkeys p where p.user_id = ${userId}::uuid
  ) end as "passkeyMethods"`;

/** SQL condition: neither a suspension nor a new epoch has ended the session. Doesn't check the expiry. */
export const LIVE_SESSION_SQL = `u.suspended_at is null and u.epoch = s.user_epoch`;

/** Expired and revoked sessions keep their rows for RETENTION. */
export const sessionRowExists = hasRows<[key: SessionKey]>(
  'session_row_exists',
  'select 1 as one from sessions where user_id = $1::uuid and id_hash = $2::bytea',
  ({ userId, idHash }) => [userId, idHash],
);

export const findSession = findHot<Session, [key: SessionKey, now: Date]>(
  'find_session',
  `select ${sessionColumnsSql('$1')}, s.id_hash as "idHash" from sessions s join users u on u.id = $1::uuid
  where s.user_id = $1::uuid and s.id_hash = $2::bytea and s.expires_at > $3::timestamptz and ${LIVE_SESSION_SQL}`,
  ({ userId, idHash }, now) => [userId, idHash, now],
);

/** SQL condition: a passkey was used or added in the session `s`. */
export const USED_PASSKEY_SQL = `(s.used_passkey or s.methods && array['hwk', 'swk'])`;

export async function findSessionsById(
  database: Pick<Database, 'hotRead'>,
  ids: readonly string[],
  now: Date,
): Promise<Map<string, Session>> {
  const found = await Promise.all(
    ids.map(async (id): Promise<[string, Session][]> => {
      const key = parseSessionId(id);
      const session = key && (await findSession(database, key, now));
      return session === undefined ? [] : [[id, session]];
    }),
  );
  return new Map(found.flat());
}

export const recordReauthentication = execute<
  [key: SessionKey, methods: readonly AuthenticationMethod[], now: Date]
>(
  'record_reauthentication',
  `update sessions s set auth_time = $4::timestamptz, all_factors_at = null, methods = $3::text[],
    used_passkey = ${USED_PASSKEY_SQL}
  where s.user_id = $1::uuid and s.id_hash = $2::bytea`,
  ({ userId, idHash }, methods, now) => [userId, idHash, methods, now],
);

const addMethodsSql = (now: string, methods: string): string => `auth_time = ${now}::timestamptz,
    all_factors_at = coalesce(s.all_factors_at, s.auth_time),
    methods = array(select distinct m from unnest(s.methods || ${methods}::text[]) m)`;

export const addSessionMethod = execute<[key: SessionKey, method: AuthenticationMethod, now: Date]>(
  'add_session_method',
  `update sessions s set ${addMethodsSql('$4', 'array[$3]')} where s.user_id = $1::uuid and s.id_hash = $2::bytea`,
  ({ userId, idHash }, method, now) => [userId, idHash, method, now],
);

// `$4` is a TOTP time step or the hash of a recovery code. The session is locked before the account.
const stepUpSql = (useCode: (condition: string) => string): string => `with locked as materialized (
    select s.id_hash from sessions s where s.user_id = $1::uuid and s.id_hash = $2::bytea for no key update
  ),
  proven as (${useCode('and exists (select from locked)')})
  update sessions s set ${addMethodsSql('$3', "array['otp']")} from users u
  where s.user_id = $1::uuid and s.id_hash = $2::bytea and s.expires_at > $3::timestamptz
    and u.id = $1::uuid and ${LIVE_SESSION_SQL} and exists (select from proven)
  returning s.sid`;

const STEP_UP_STATEMENTS = {
  app: statement(
    'step_up_by_app',
    stepUpSql((condition) => acceptTotpStepSql('$1', '$4', condition)),
  ),
  'recovery code': statement(
    'step_up_by_recovery_code',
    stepUpSql((condition) => useRecoveryCodeSql('$1', '$4', '$3', condition)),
  ),
} as const;

/** Returns false if the code was already used or the session has ended. */
export async function recordStepUp(
  database: Queryable,
  { userId, idHash }: SessionKey,
  code: VerifiedCode,
  now: Date,
): Promise<boolean> {
  const stepOrHash = code.by === 'app' ? code.step : code.codeHash;
  return (await database.query(STEP_UP_STATEMENTS[code.by], [userId, idHash, now, stepOrHash])).length === 1;
}

// A code redemption locks the session `for key share`. The deletion waits, so the new grant's client is also notified.
const deleteSessionByKey = findAll<EndedSession, [key: SessionKey]>(
  'delete_session',
  'delete from sessions where user_id = $1::uuid and id_hash = $2::bytea returning user_id as "userId", sid',
  ({ userId, idHash }) => [userId, idHash],
);

/**
 * @param options.continued whether another session continues this one. If so, clients aren't notified of a logout.
 * @returns false if the session doesn't exist
 */
export async function deleteSession(
  transaction: Queryable,
  key: SessionKey,
  now: Date,
  { continued = false } = {},
): Promise<boolean> {
  const endedSessions = await deleteSessionByKey(transaction, key);
  if (!continued) await queueLogoutDeliveries(transaction, endedSessions, now);
  return endedSessions.length > 0;
}

export interface SessionRow {
  sid: string;
  idHash: Buffer;
  authTime: Date;
  lastSeenAt: Date;
  /** Empty once RETENTION has passed. */
  ip: string;
  userAgent: string;
}

const SELECT_LIVE_SESSIONS_SQL = `select s.sid, s.id_hash as "idHash", s.auth_time as "authTime", coalesce(s.last_seen_at, s.auth_time) as "lastSeenAt",
    s.ip, s.user_agent as "userAgent"
  from sessions s join users u on u.id = $1::uuid
  where s.user_id = $1::uuid and s.expires_at > $2::timestamptz and ${LIVE_SESSION_SQL}`;

export const listSessions = findAll<SessionRow, [userId: string, now: Date, limit?: number]>(
  'list_sessions',
  `${SELECT_LIVE_SESSIONS_SQL} order by coalesce(s.last_seen_at, s.auth_time) desc, s.sid limit $3::int`,
  (userId, now, limit) => [userId, now, limit ?? null],
);

export const findSessionOfUser = findOne<SessionRow, [userId: string, now: Date, sid: string]>(
  'find_session_of_user',
  `${SELECT_LIVE_SESSIONS_SQL} and s.sid = $3::uuid`,
);

const deleteSessionBySid = findAll<EndedSession, [userId: string, sid: string]>(
  'delete_session_of_user',
  'delete from sessions where user_id = $1::uuid and sid = $2::uuid returning user_id as "userId", sid',
);

export async function deleteSessionOfUser(
  transaction: Queryable,
  userId: string,
  sid: string,
  now: Date,
): Promise<boolean> {
  const endedSessions = await deleteSessionBySid(transaction, userId, sid);
  await queueLogoutDeliveries(transaction, endedSessions, now);
  return endedSessions.length > 0;
}

const IS_SESSION_TO_END_SQL = `s.user_id = $1::uuid and s.expires_at > $2::timestamptz and s.id_hash is distinct from $3::bytea
    and (not $4::boolean or ${USED_PASSKEY_SQL}) and (not $5::boolean or 'idp' = any(s.methods))`;

// Sessions are locked in key order before they are updated. Their expiry is set to ten minutes ago because servers'
// clocks may differ.
const expireSessions = findAll<
  EndedSession,
  [userId: string, now: Date, exceptIdHash: Buffer | null, passkeyOnly: boolean, identityOnly: boolean]
>(
  'end_sessions',
  `with locked as (select s.id_hash from sessions s where ${IS_SESSION_TO_END_SQL} order by s.id_hash for update)
  update sessions s set expires_at = $2::timestamptz - interval '10 minutes'
  where ${IS_SESSION_TO_END_SQL} and (select count(*) from locked) > 0
  returning s.user_id as "userId", s.sid`,
);

/**
 * Ends sessions and returns their number. Pruning deletes the rows later.
 * @param options.exceptIdHash session to keep
 * @param options.passkeyOnly only sessions where a passkey was used or added
 * @param options.identityOnly only sessions where the user signed in through an identity provider
 */
export async function endSessions(
  transaction: Queryable,
  userId: string,
  now: Date,
  {
    exceptIdHash = null,
    passkeyOnly = false,
    identityOnly = false,
  }: { exceptIdHash?: Buffer | null; passkeyOnly?: boolean; identityOnly?: boolean } = {},
): Promise<number> {
  const endedSessions = await expireSessions(
    transaction,
    userId,
    now,
    exceptIdHash,
    passkeyOnly,
    identityOnly,
  );
  await queueLogoutDeliveries(transaction, endedSessions, now);
  return endedSessions.length;
}
