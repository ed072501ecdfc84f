// How sessions begin: one statement that checks what was shown, uses it up, and writes the session and its line in the log.
import type { Method } from '../oauth/authentication-methods.ts';
import type { Way } from '../oauth/sign-in-way.ts';
import type { Database } from './database.ts';
import type { EventKind } from './events.ts';
import { type PasskeyUse, SPENDING_CHALLENGE, USING_PASSKEY, valuesOfUse } from './passkeys.ts';
import { hasGuesses } from './password-guesses.ts';
import { acceptingStep, isTrusted, usingRecoveryCode } from './second-factors.ts';
import { HAD_PASSKEY } from './sessions.ts';
import { statement } from './statement.ts';
import { type AttemptKeys, settleElsewhere, settlingAccount } from './throttling.ts';

/** How a session is come by: what has to hold in the statement that starts it. */
export type Proof =
  | ({ by: 'password' } & PasswordProof)
  /** The new password of whoever was in just now, and had shown all that the account asks for, then. */
  | { by: 'change'; passwordHash: string; fullyProvenAt: Date; endedIdHash: Buffer }
  | { by: 'app'; passwordHash: string; step: number }
  /** Alone where the account has no password. */
  | { by: 'recovery code'; passwordHash: string | null; codeHash: Buffer }
  | ({ by: 'passkey' } & PasskeyUse);

export interface PasswordProof {
  passwordHash: string;
  /** What the browser shows to be trusted: a password does alone only where that holds, or no second factor is asked for. */
  trusted?: readonly Buffer[];
  /** The attempt that gave it: it is settled, whether or not the session starts. */
  attempt?: AttemptKeys | undefined;
  /** After so many wrong ones since the last right one it does not start: whoever was faster has used them up. */
  guesses?: number | undefined;
}

interface Inserting {
  /** What `proved` builds on. */
  used?: string;
  proved?: string;
  holds: string;
  besides?: string;
  /** What the log keeps of it. */
  detail?: string;
  /** When all that the account asks for was shown, where that was before. */
  fullyProvenAt?: string;
  /** Whether a passkey was shown or made before. */
  passkeyBefore?: string;
  /** When the session started, if it doesn't continue one of the browser. */
  startedAt?: string;
}

const inserting = ({
  used,
  proved,
  holds,
  besides,
  detail = '$detail::jsonb',
  fullyProvenAt = 'null::timestamptz',
  passkeyBefore = 'false',
  startedAt = '$now::timestamptz',
}: Inserting): string => `with ${used === undefined ? '' : `used as (${used}),`} ${proved === undefined ? '' : `proved as (${proved}),`}
  continued as (
    select s.sid, s.user_epoch, s.started_at, coalesce(s.origin_hash, s.id_hash) as origin_hash
    from sessions s
    where s.user_id = $userId::uuid and s.id_hash = $previousIdHash::bytea and s.expires_at > $now::timestamptz
  ),
  account as (
    select u.id, u.epoch, u.browser_epoch, coalesce(p.sid, $sid::uuid) as sid, p.origin_hash,
      coalesce(p.started_at, ${startedAt}) as started_at,
      u.totp_secret is not null as asks_for_code,
      u.passkey_count = 0 and coalesce(u.passkey_offer_at <= $now::timestamptz, true) as lacks_passkey
    from users u left join continued p on p.user_epoch = u.epoch
    where u.id = $userId::uuid and u.suspended_at is null and ${holds}
  ),
  started as (
    insert into sessions (id_hash, origin_hash, sid, user_id, user_epoch, started_at, auth_time, expires_at, address, user_agent,
      methods, fully_proven_at, passkey_before)
    select $idHash::bytea, origin_hash, sid, $userId::uuid, epoch, started_at, $now::timestamptz, $expiresAt::timestamptz, $address::text, $userAgent::text,
      $methods::text[], ${fullyProvenAt}, ${passkeyBefore}
    from account
  ),
  noted as (
    insert into events (at, kind, actor_id, user_id, address, detail)
    select $now::timestamptz, $kind::text, $userId::uuid, $userId::uuid, $address::text, ${detail} from account
  )${besides === undefined ? '' : `, ${besides}`}
  select sid, browser_epoch as "browserEpoch", asks_for_code as "asksForCode", lacks_passkey as "lacksPasskey" from account`;

const PROVED = 'exists (select from proved)';
const SAME_PASSWORD = 'u.password_hash is not distinct from $passwordHash::text';
const INSERT = {
  // Whatever was enrolled since the password was looked at counts: no session comes about beside a second factor.
  password: statement(
    'insert_session',
    inserting({
      holds: `u.password_hash = $passwordHash::text and (u.totp_secret is null or ${isTrusted('$userId', '$trusted', '$now')})
        and not ${hasGuesses('$userId', '$guesses')}`,
      besides: `settled as (${settlingAccount(
        { accountKey: '$accountKey', userId: '$userId' },
        'exists (select from account)',
      )})`,
      // Only a browser that is trusted comes so far where a code is asked for.
      detail: `$detail::jsonb || case when asks_for_code then '{"way": "password+trusted"}' else '{}' end::jsonb`,
    }),
  ),
  change: statement(
    'insert_session_after_change',
    inserting({
      holds: 'u.password_hash = $passwordHash::text',
      fullyProvenAt: '$fullyProvenAt::timestamptz',
      passkeyBefore: `exists (select from sessions s
        where s.user_id = $userId::uuid and s.id_hash = $endedIdHash::bytea and ${HAD_PASSKEY})`,
      // A new password continues the session, so that a report covers what was added before it.
      startedAt: `coalesce((select s.started_at from sessions s
        where s.user_id = $userId::uuid and s.id_hash = $endedIdHash::bytea), $now::timestamptz)`,
    }),
  ),
  app: statement(
    'insert_session_by_app',
    inserting({
      proved: acceptingStep('$userId', '$step'),
      holds: `u.password_hash = $passwordHash::text and ${PROVED}`,
    }),
  ),
  // A code isn't used up by a password that was changed meanwhile, nor in its place.
  'recovery code': statement(
    'insert_session_by_recovery_code',
    inserting({
      proved: usingRecoveryCode(
        '$userId',
        '$codeHash',
        '$now',
        `and exists (select from users u where u.id = $userId::uuid and ${SAME_PASSWORD} and u.suspended_at is null)`,
      ),
      holds: `${SAME_PASSWORD} and ${PROVED}`,
    }),
  ),
  passkey: statement(
    'insert_session_by_passkey',
    inserting({ used: USING_PASSKEY, proved: SPENDING_CHALLENGE, holds: PROVED }),
  ),
} as const;

/** The parameters that the statement of a proof has beside the others. */
function valuesOf(proof: Proof): Readonly<Record<string, unknown>> {
  if (proof.by === 'passkey') return valuesOfUse(proof);
  if (proof.by !== 'password') return proof;
  const { passwordHash, trusted = [], attempt, guesses = null } = proof;
  return { passwordHash, trusted, accountKey: attempt?.accountKey ?? null, guesses };
}

export interface NewSession {
  idHash: Buffer;
  sid: string;
  userId: string;
  authTime: Date;
  expiresAt: Date;
  address: string;
  userAgent: string;
  /** A change of it in between makes no session. */
  proof: Proof;
  methods: readonly Method[];
  /** The session of this account that the browser had. While it is live, the new one continues it under its `sid`. */
  previousIdHash?: Buffer | undefined;
  kind: Extract<EventKind, 'signed_in' | 'signed_up'>;
  /** What the browser says that it is, as far as it is understood. */
  device?: { browser: string | undefined; system: string | undefined };
}

/** The way in that a proof is, as far as it tells; whether a browser is trusted, the statement knows. */
function wayOf({ proof, methods }: Pick<NewSession, 'proof' | 'methods'>): Way {
  if (methods.includes('hwk') || methods.includes('swk')) return 'passkey';
  if (proof.by === 'recovery code')
    return proof.passwordHash === null ? 'recovery_code' : 'password+recovery_code';
  return methods.includes('otp') ? 'password+app' : 'password';
}

/** What the log keeps of a sign-in. A password alone is what everybody takes it for. */
function detailOf(session: NewSession): Record<string, unknown> {
  const { browser, system } = session.device ?? {};
  const way = wayOf(session);
  return {
    ...(way !== 'password' && { with: session.methods, way }),
    ...(browser !== undefined && { browser }),
    ...(system !== undefined && { system }),
  };
}

export interface InsertedSession {
  sid: string;
  /** The number that a browser at home in this account carries. */
  browserEpoch: number;
  way: Way;
  lacksPasskey: boolean;
}

/**
 * Starts a session, and records it in the audit log.
 * @returns undefined if the account changed meanwhile, or the proof was used
 */
export async function insertSession(
  database: Pick<Database, 'query' | 'hotWrite'>,
  session: NewSession,
): Promise<InsertedSession | undefined> {
  // Before the session starts, so that an error leaves no session whose sign-in has failed.
  if (session.proof.by === 'password' && session.proof.attempt !== undefined)
    await settleElsewhere(database, session.proof.attempt, session.userId);
  // The one way in whose statement costs more than what is checked before it: in company it costs half.
  const ask = session.proof.by === 'passkey' ? database.hotWrite : database.query;
  const [row] = await ask<{
    sid: string;
    browserEpoch: number;
    asksForCode: boolean;
    lacksPasskey: boolean;
  }>(INSERT[session.proof.by], {
    ...valuesOf(session.proof),
    idHash: session.idHash,
    sid: session.sid,
    userId: session.userId,
    now: session.authTime,
    expiresAt: session.expiresAt,
    address: session.address,
    userAgent: session.userAgent,
    previousIdHash: session.previousIdHash ?? null,
    kind: session.kind,
    methods: session.methods,
    detail: JSON.stringify(detailOf(session)),
  }).catch((error) => {
    // 23503 foreign_key_violation: the account was deleted while the statement ran.
    if ((error as { code?: unknown }).code === '23503') return [];
    throw error;
  });
  if (row === undefined) return undefined;
  const { sid, browserEpoch, asksForCode, lacksPasskey } = row;
  const trusted = asksForCode && session.proof.by === 'password';
  return { sid, browserEpoch, lacksPasskey, way: trusted ? 'password+trusted' : wayOf(session) };
}
