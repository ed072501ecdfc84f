// Starts sessions. One statement checks the proof of authentication and inserts the session.
import type { AuthenticationMethod } from '../oauth/authentication-methods.ts';
import type { SignInMethod } from '../oauth/sign-in-method.ts';
import type { EventDetail, EventKind } from './audit-log.ts';
import type { Database } from './database.ts';
import { type IdentityUse, useIdentitySql } from './external-identities.ts';
import { acceptTotpStepSql, isDeviceRememberedSql, useRecoveryCodeSql } from './mfa-factors.ts';
import { type PasskeyUse, toPasskeyUseValues, USE_CHALLENGE_SQL, USE_PASSKEY_SQL } from './passkeys.ts';
import { hasPasswordFailuresSql } from './password-failures.ts';
import { USED_PASSKEY_SQL } from './sessions.ts';
import { statement } from './statement.ts';
import { type AttemptKeys, clearAccountAttemptSql, clearOtherAttempts } from './throttling.ts';

/** Authentication proof, verified by the caller. `insertSession` checks that it is still valid. */
export type SignInProof =
  | ({ by: 'password' } & PasswordProof)
  /** The user has set or changed the password. The new session replaces the one with `endedIdHash`. */
  | { by: 'change'; passwordHash: string; allFactorsAt: Date; endedIdHash: Buffer }
  | { by: 'app'; passwordHash: string; step: number }
  | { by: 'recovery code'; passwordHash: string | null; codeHash: Buffer }
  | ({ by: 'passkey' } & PasskeyUse)
  /** If the account has TOTP, a token hash in `rememberedDevices` must match. */
  | ({ by: 'provider'; rememberedDevices: readonly Buffer[] } & ProviderProof)
  | ({ by: 'provider+app'; step: number } & ProviderProof)
  | ({ by: 'provider+recovery code'; codeHash: Buffer } & ProviderProof);

interface ProviderProof {
  identity: IdentityUse;
  allFactorsAt: Date | null;
}

export interface PasswordProof {
  passwordHash: string;
  /** If the account has TOTP, one of these token hashes must match. */
  rememberedDevices?: readonly Buffer[];
  /** The buckets that counted this attempt. A correct password removes the attempt from these buckets. */
  attempt?: AttemptKeys | undefined;
  /** No session starts if concurrent attempts have reached this number of wrong passwords. */
  maxFailures?: number | undefined;
}

interface InsertSessionParts {
  used?: string;
  proven?: string;
  condition: string;
  additionalCte?: string;
  detail?: string;
  /** SQL for when the user presented all factors, if earlier than the sign-in. */
  allFactorsAt?: string;
  usedPasskey?: string;
  /** SQL for when the session started. Ignored if the new session continues another session. */
  startedAt?: string;
}

const insertSessionSql = ({
  used,
  proven,
  condition,
  additionalCte,
  detail = '$detail::jsonb',
  allFactorsAt = 'null::timestamptz',
  usedPasskey = 'false',
  startedAt = '$now::timestamptz',
}: InsertSessionParts): string => `with ${used === undefined ? '' : `used as (${used}),`} ${proven === undefined ? '' : `proven as (${proven}),`}
  continued as (
    select s.sid, s.user_epoch, s.started_at, coalesce(s.origin_hash, s.id_hash) as origin_hash
    from sessions s
    where s.user_id = $userId::uuid and s.id_hash = $previousIdHash::bytea and s.expires_at > $now::timestamptz
  ),
  account as (
    select u.id, u.epoch, u.browser_epoch, coalesce(p.sid, $sid::uuid) as sid, p.origin_hash,
      coalesce(p.started_at, ${startedAt}) as started_at,
      u.totp_secret is not null as requires_totp,
      u.passkey_count = 0 and coalesce(u.passkey_offer_at <= $now::timestamptz, true) as lacks_passkey
    from users u left join continued p on p.user_epoch = u.epoch
    where u.id = $userId::uuid and u.suspended_at is null and ${condition}
  ),
  started as (
    insert into sessions (id_hash, origin_hash, sid, user_id, user_epoch, started_at, auth_time, expires_at, ip, user_agent,
      methods, all_factors_at, used_passkey)
    select $idHash::bytea, origin_hash, sid, $userId::uuid, epoch, started_at, $now::timestamptz, $expiresAt::timestamptz, $ip::text, $userAgent::text,
      $methods::text[], ${allFactorsAt}, ${usedPasskey}
    from account
  ),
  recorded as (
    insert into events (at, kind, actor_id, user_id, ip, detail)
    select $now::timestamptz, $kind::text, $userId::uuid, $userId::uuid, $ip::text, ${detail} from account
  )${additionalCte === undefined ? '' : `, ${additionalCte}`}
  select sid, browser_epoch as "browserEpoch", requires_totp as "requiresTotp", lacks_passkey as "lacksPasskey" from account`;

const IS_PROVEN_SQL = 'exists (select from proven)';
const AND_IS_USED_SQL = 'and exists (select from used)';
/** Adds `method` if the account has TOTP, which means that the user signed in on a remembered device. */
const rememberedDeviceDetailSql = (method: SignInMethod): string =>
  `$detail::jsonb || case when requires_totp then '{"method": "${method}"}' else '{}' end::jsonb`;
const NEEDS_NO_TOTP_SQL = `(u.totp_secret is null or ${isDeviceRememberedSql('$userId', '$rememberedDevices', '$now')})`;
const PROVIDER_SIGN_IN_TIME_SQL = 'least($allFactorsAt::timestamptz, $now::timestamptz)';
const HAS_SAME_PASSWORD_SQL = 'u.password_hash is not distinct from $passwordHash::text';
const INSERT_STATEMENTS = {
  // Recheck TOTP, which may have been set up after the password was verified.
  password: statement(
    'insert_session',
    insertSessionSql({
      condition: `u.password_hash = $passwordHash::text and ${NEEDS_NO_TOTP_SQL}
        and not ${hasPasswordFailuresSql('$userId', '$maxFailures')}`,
      additionalCte: `settled as (${clearAccountAttemptSql(
        { accountKey: '$accountKey', userId: '$userId' },
        'exists (select from account)',
      )})`,
      detail: rememberedDeviceDetailSql('password+trusted'),
    }),
  ),
  change: statement(
    'insert_session_after_change',
    insertSessionSql({
      condition: 'u.password_hash = $passwordHash::text',
      allFactorsAt: '$allFactorsAt::timestamptz',
      usedPasskey: `exists (select from sessions s
        where s.user_id = $userId::uuid and s.id_hash = $endedIdHash::bytea and ${USED_PASSKEY_SQL})`,
      // Keep the ended session's start time so that a report of unauthorized activity also covers earlier additions.
      startedAt: `coalesce((select s.started_at from sessions s
        where s.user_id = $userId::uuid and s.id_hash = $endedIdHash::bytea), $now::timestamptz)`,
    }),
  ),
  app: statement(
    'insert_session_by_app',
    insertSessionSql({
      proven: acceptTotpStepSql('$userId', '$step'),
      condition: `u.password_hash = $passwordHash::text and ${IS_PROVEN_SQL}`,
    }),
  ),
  // If the password was changed concurrently, the recovery code isn't consumed.
  'recovery code': statement(
    'insert_session_by_recovery_code',
    insertSessionSql({
      proven: useRecoveryCodeSql(
        '$userId',
        '$codeHash',
        '$now',
        `and exists (select from users u where u.id = $userId::uuid and ${HAS_SAME_PASSWORD_SQL} and u.suspended_at is null)`,
      ),
      condition: `${HAS_SAME_PASSWORD_SQL} and ${IS_PROVEN_SQL}`,
    }),
  ),
  passkey: statement(
    'insert_session_by_passkey',
    insertSessionSql({ used: USE_PASSKEY_SQL, proven: USE_CHALLENGE_SQL, condition: IS_PROVEN_SQL }),
  ),
  provider: statement(
    'insert_session_by_provider',
    insertSessionSql({
      proven: useIdentitySql(`and ${NEEDS_NO_TOTP_SQL}`),
      condition: IS_PROVEN_SQL,
      allFactorsAt: PROVIDER_SIGN_IN_TIME_SQL,
      detail: rememberedDeviceDetailSql('provider+trusted'),
    }),
  ),
  'provider+app': statement(
    'insert_session_by_provider_and_app',
    insertSessionSql({
      used: useIdentitySql(),
      proven: acceptTotpStepSql('$userId', '$step', AND_IS_USED_SQL),
      condition: IS_PROVEN_SQL,
      allFactorsAt: PROVIDER_SIGN_IN_TIME_SQL,
    }),
  ),
  'provider+recovery code': statement(
    'insert_session_by_provider_and_recovery_code',
    insertSessionSql({
      used: useIdentitySql(),
      proven: useRecoveryCodeSql('$userId', '$codeHash', '$now', AND_IS_USED_SQL),
      condition: IS_PROVEN_SQL,
      allFactorsAt: PROVIDER_SIGN_IN_TIME_SQL,
    }),
  ),
} as const;

function toProofValues(proof: SignInProof): Readonly<Record<string, unknown>> {
  if (proof.by === 'passkey') return toPasskeyUseValues(proof);
  if ('identity' in proof) {
    const { identity, ...second } = proof;
    return { ...identity, ...second };
  }
  if (proof.by !== 'password') return proof;
  const { passwordHash, rememberedDevices = [], attempt, maxFailures = null } = proof;
  return { passwordHash, rememberedDevices, accountKey: attempt?.accountKey ?? null, maxFailures };
}

export interface NewSession {
  idHash: Buffer;
  sid: string;
  userId: string;
  authTime: Date;
  expiresAt: Date;
  ip: string;
  userAgent: string;
  proof: SignInProof;
  methods: readonly AuthenticationMethod[];
  /** Hashed id of the browser's previous session. If that session is live, the new session keeps its `sid`. */
  previousIdHash?: Buffer | undefined;
  kind: Extract<EventKind, 'signed_in' | 'signed_up'>;
  device?: { browser: string | undefined; system: string | undefined };
}

/** Doesn't return methods with `+trusted` because only the SQL statement detects remembered devices. */
function getSignInMethod({ proof, methods }: Pick<NewSession, 'proof' | 'methods'>): SignInMethod {
  if (methods.includes('hwk') || methods.includes('swk')) return 'passkey';
  if (proof.by === 'recovery code')
    return proof.passwordHash === null ? 'recovery_code' : 'password+recovery_code';
  if (proof.by === 'provider+recovery code') return 'provider+recovery_code';
  if (proof.by === 'provider' || proof.by === 'provider+app') return proof.by;
  return methods.includes('otp') ? 'password+app' : 'password';
}

function toEventDetail(session: NewSession): EventDetail {
  const { browser, system } = session.device ?? {};
  const method = getSignInMethod(session);
  const { proof } = session;
  return {
    ...(method !== 'password' && { with: session.methods, method }),
    ...('identity' in proof && { provider: proof.identity.providerId }),
    ...(browser !== undefined && { browser }),
    ...(system !== undefined && { system }),
  };
}

export interface InsertedSession {
  sid: string;
  browserEpoch: number;
  method: SignInMethod;
  lacksPasskey: boolean;
}

/**
 * Starts a session and records the sign-in in the audit log.
 * @returns undefined if the account has changed or the proof was already used
 */
export async function insertSession(
  database: Pick<Database, 'query' | 'hotWrite'>,
  session: NewSession,
): Promise<InsertedSession | undefined> {
  // The buckets are updated first so that a failed update leaves no session.
  if (session.proof.by === 'password' && session.proof.attempt !== undefined)
    await clearOtherAttempts(database, session.proof.attempt, session.userId);
  // Password sign-ins aren't batched because hashing costs far more than the statement.
  const isHot = session.proof.by === 'passkey' || session.proof.by === 'provider';
  const query = isHot ? database.hotWrite : database.query;
  const [row] = await query<{
    sid: string;
    browserEpoch: number;
    requiresTotp: boolean;
    lacksPasskey: boolean;
  }>(INSERT_STATEMENTS[session.proof.by], {
    ...toProofValues(session.proof),
    idHash: session.idHash,
    sid: session.sid,
    userId: session.userId,
    now: session.authTime,
    expiresAt: session.expiresAt,
    ip: session.ip,
    userAgent: session.userAgent,
    previousIdHash: session.previousIdHash ?? null,
    kind: session.kind,
    methods: session.methods,
    detail: JSON.stringify(toEventDetail(session)),
  }).catch((error) => {
    // foreign_key_violation: the account was deleted concurrently.
    if ((error as { code?: unknown }).code === '23503') return [];
    throw error;
  });
  if (row === undefined) return undefined;
  const { sid, browserEpoch, requiresTotp, lacksPasskey } = row;
  const { by } = session.proof;
  const onRememberedDevice = requiresTotp && (by === 'password' || by === 'provider');
  return {
    sid,
    browserEpoch,
    lacksPasskey,
    method: onRememberedDevice ? `${by}+trusted` : getSignInMethod(session),
  };
}
