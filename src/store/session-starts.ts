// How sessions begin: one statement that checks what was shown, uses it up, and writes the session and its line in the log.
import type { Method } from '../oauth/authentication-methods.ts';
import type { Way } from '../oauth/sign-in-way.ts';
import type { Database } from './database.ts';
import type { EventKind } from './events.ts';
import { type PasskeyUse, usingPasskey, valuesOfUse } from './passkeys.ts';
import { hasGuesses } from './password-guesses.ts';
import { acceptingStep, isTrusted, usingRecoveryCode } from './second-factors.ts';
import { BROWSER_SESSIONS, HAD_PASSKEY } from './sessions.ts';
import { statement } from './statement.ts';
import { type AttemptKeys, settling } from './throttling.ts';

/** How a session is come by: what has to hold in the statement that starts it. */
export type Proof =
  | ({ by: 'password' } & PasswordProof)
  /** The new password of whoever was in just now, and had shown all that the account asks for, then. */
  | { by: 'change'; passwordHash: string; fullyProvenAt: Date; idHash: Buffer }
  | { by: 'app'; passwordHash: string; step: number }
  | { by: 'recovery code'; passwordHash: string; codeHash: Buffer }
  /** Of an account without a password. */
  | { by: 'recovery code alone'; codeHash: Buffer }
  | ({ by: 'passkey' } & PasskeyUse);

export interface PasswordProof {
  passwordHash: string;
  /** What the browser shows to be trusted: a password does alone only where that holds, or no second factor is asked for. */
  trusted?: readonly Buffer[];
  /** The attempt that gave it: it is settled, whether or not the session starts. */
  attempt?: AttemptKeys | undefined;
  /** After so many wrong ones since the last right one it does not start (D60): whoever was faster has used them up. */
  guesses?: number | undefined;
}

interface Inserting {
  proved?: string;
  holds: string;
  /** What else happens. */
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

// Previous sessions are found by their own keys: left to the planner, they may be looked for among all of the account's. The planner
// has to be told that they are few; otherwise it plans anew at every sign-in.
const inserting = ({
  proved,
  holds,
  besides,
  detail = '$11::jsonb',
  fullyProvenAt = 'null::timestamptz',
  passkeyBefore = 'false',
  startedAt = '$4::timestamptz',
}: Inserting): string => `with used as (
    insert into used_forms (key, expires_at) select $12::bytea, $13::timestamptz where $12::bytea is not null
    on conflict (key) do nothing returning key
  ),
  ${proved === undefined ? '' : `proved as (${proved}),`}
  previous as materialized (
    select s.sid, s.user_id, s.user_epoch, s.auth_time, s.started_at, coalesce(s.origin_hash, s.id_hash) as origin_hash
    from (select unnest($8::bytea[]) as id_hash limit ${BROWSER_SESSIONS}) one
    join sessions s on s.id_hash = one.id_hash and s.expires_at > $4::timestamptz
  ),
  continued as (
    select * from previous where user_id = $3::uuid order by auth_time desc limit 1
  ),
  account as (
    select u.id, u.epoch, u.browser_epoch, coalesce(p.sid, $2::uuid) as sid, p.origin_hash,
      coalesce(p.started_at, ${startedAt}) as started_at,
      u.totp_secret is not null as asks_for_code,
      u.passkey_count = 0 and coalesce(u.passkey_offer_at <= $4::timestamptz, true) as lacks_passkey
    from users u left join continued p on p.user_epoch = u.epoch
    where u.id = $3::uuid and u.suspended_at is null and ${holds}
      and ($12::bytea is null or exists (select from used))
  ),
  started as (
    insert into sessions (id_hash, origin_hash, sid, user_id, user_epoch, started_at, auth_time, expires_at, address, user_agent,
      methods, fully_proven_at, passkey_before)
    select $1::bytea, origin_hash, sid, id, epoch, started_at, $4::timestamptz, $5::timestamptz, $6::text, $7::text,
      $10::text[], ${fullyProvenAt}, ${passkeyBefore}
    from account
  ),
  noted as (
    insert into events (at, kind, actor_id, user_id, address, detail)
    select $4::timestamptz, $9::text, id, id, $6::text, ${detail} from account
  )${besides === undefined ? '' : `, ${besides}`}
  select a.sid, a.browser_epoch as "browserEpoch", a.asks_for_code as "asksForCode", a.lacks_passkey as "lacksPasskey",
    $12::bytea is not null and not exists (select from used) as again
  from (select) as one left join account a on true`;

const PROVED = 'exists (select from proved)';
const INSERT = {
  // Whatever was enrolled since the password was looked at counts: no session comes about beside a second factor.
  password: statement(
    'insert_session',
    inserting({
      holds: `u.password_hash = $14::text and (u.totp_secret is null or ${isTrusted('$15', '$4')})
        and not ${hasGuesses('u.id', '$18')}`,
      besides: `settled as (${settling(
        { accountKey: '$16', addressKey: '$17', userId: '$3', now: '$4' },
        'exists (select from account)',
      )})`,
      // Only a browser that is trusted comes so far where a code is asked for.
      detail: `$11::jsonb || case when asks_for_code then '{"way": "password+trusted"}' else '{}' end::jsonb`,
    }),
  ),
  change: statement(
    'insert_session_after_change',
    inserting({
      holds: 'u.password_hash = $14::text',
      fullyProvenAt: '$15::timestamptz',
      passkeyBefore: `exists (select from sessions s where s.id_hash = $16::bytea and ${HAD_PASSKEY})`,
      // A new password continues the session, so that a report covers what was added before it.
      startedAt:
        'coalesce((select s.started_at from sessions s where s.id_hash = $16::bytea), $4::timestamptz)',
    }),
  ),
  app: statement(
    'insert_session_by_app',
    inserting({ proved: acceptingStep('$3', '$15'), holds: `u.password_hash = $14::text and ${PROVED}` }),
  ),
  'recovery code': statement(
    'insert_session_by_recovery_code',
    inserting({
      proved: usingRecoveryCode('$3', '$15', '$4'),
      holds: `u.password_hash = $14::text and ${PROVED}`,
    }),
  ),
  'recovery code alone': statement(
    'insert_session_by_recovery_code_alone',
    inserting({
      proved: `${usingRecoveryCode('$3', '$14', '$4', `and exists (select from users u where u.id = r.user_id and u.password_hash is null and u.suspended_at is null)`)}`,
      holds: `u.password_hash is null and ${PROVED}`,
    }),
  ),
  passkey: statement(
    'insert_session_by_passkey',
    inserting({
      proved: usingPasskey({
        userId: '$3',
        credentialId: '$14',
        counter: '$15',
        backedUp: '$16',
        now: '$4',
      }),
      holds: PROVED,
    }),
  ),
} as const;

const valuesOf = (proof: Proof): readonly unknown[] => {
  switch (proof.by) {
    case 'password':
      return [
        proof.passwordHash,
        proof.trusted ?? [],
        proof.attempt?.accountKey ?? null,
        proof.attempt?.addressKey ?? null,
        proof.guesses ?? null,
      ];
    case 'change':
      return [proof.passwordHash, proof.fullyProvenAt, proof.idHash];
    case 'app':
      return [proof.passwordHash, proof.step];
    case 'recovery code':
      return [proof.passwordHash, proof.codeHash];
    case 'recovery code alone':
      return [proof.codeHash];
    case 'passkey':
      return valuesOfUse(proof);
  }
};

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
  /** What was shown in all. */
  methods: readonly Method[];
  /** The sessions that the browser had: under the `sid` of the latest live one of this account the new one goes on. */
  previousIdHashes?: readonly Buffer[] | undefined;
  /** What the audit log says of it. */
  kind: Extract<EventKind, 'signed_in' | 'signed_up'>;
  /** The form, or the challenge, that starts one session: it is used up. */
  form?: { key: Buffer; until: Date } | undefined;
  /** What the browser says that it is, as far as it is understood. */
  device?: { browser: string | undefined; system: string | undefined };
}

/** The way in that a proof is, as far as it tells; whether a browser is trusted, the statement knows. */
function wayOf({ proof, methods }: Pick<NewSession, 'proof' | 'methods'>): Way {
  if (methods.includes('hwk') || methods.includes('swk')) return 'passkey';
  if (proof.by === 'recovery code') return 'password+recovery_code';
  if (proof.by === 'recovery code alone') return 'recovery_code';
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
  /** Whether its account has no passkey, and may be offered one. */
  lacksPasskey: boolean;
}

/**
 * Starts a session, with its line in the audit log.
 * @returns `again` when the form was used before; undefined when the account was deleted, suspended or given another password meanwhile, its second factor is
 *   wanted or was used, or the last guess at the password was used up
 */
export async function insertSession(
  database: Pick<Database, 'query' | 'hotWrite'>,
  session: NewSession,
): Promise<InsertedSession | 'again' | undefined> {
  // The one way in whose statement costs more than what is checked before it: in company it costs half.
  const ask = session.proof.by === 'passkey' ? database.hotWrite : database.query;
  const [row] = await ask<{
    sid: string | null;
    browserEpoch: number;
    asksForCode: boolean;
    lacksPasskey: boolean;
    again: boolean;
  }>(INSERT[session.proof.by], [
    session.idHash,
    session.sid,
    session.userId,
    session.authTime,
    session.expiresAt,
    session.address,
    session.userAgent,
    session.previousIdHashes ?? [],
    session.kind,
    session.methods,
    JSON.stringify(detailOf(session)),
    session.form?.key ?? null,
    session.form?.until ?? null,
    ...valuesOf(session.proof),
  ]).catch((error) => {
    // 23503 foreign_key_violation: the account was deleted while the statement ran.
    if ((error as { code?: unknown }).code === '23503') return [];
    throw error;
  });
  if (row?.again) return 'again';
  if (typeof row?.sid !== 'string') return undefined;
  const { sid, browserEpoch, asksForCode, lacksPasskey } = row;
  const trusted = asksForCode && session.proof.by === 'password';
  return { sid, browserEpoch, lacksPasskey, way: trusted ? 'password+trusted' : wayOf(session) };
}
