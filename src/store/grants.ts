// Grants and their access tokens: each operation is one statement that authenticates, decides and writes.
import type { Person } from '../oauth/claims.ts';
import type { Credentials } from '../oauth/client-authentication.ts';
import type { SigningAlgorithm } from '../oauth/tokens.ts';
import { authenticatedClient } from './clients.ts';
import { type Database, type Queryable, statement } from './database.ts';

/** What an exchange or a renewal is decided on. SQL never asks its own clock (D36). */
export interface Advance {
  now: Date;
  /** A generation taken before this is too old: code lifetime for a code, idle lifetime for a refresh token. */
  advancedAfter: Date;
  /** A grant made before this is too old altogether. */
  createdAfter: Date;
  credentials: Credentials;
  grantId: string;
  generation: number;
  /** SHA-256 of the access token that was signed for this request. */
  accessTokenHash: Buffer;
  accessTokenExpiresAt: Date;
  scope: string;
  /** Resource servers that it is for: all of them still registered, or there is none (RFC 8707). */
  audience: readonly string[];
}

/**
 * What became of a presented generation: `advanced` (it was the current one), `repeated` (the one just superseded,
 * within the application's grace, D16), `reused` (older: the grant is revoked by this very statement), `expired`;
 * null when there is no live grant of this application; `unauthenticated` before anything of the grant.
 */
export type AdvanceOutcome = 'advanced' | 'repeated' | 'reused' | 'expired' | 'unauthenticated' | null;

// READ COMMITTED: an update that waited for another re-reads the grant's row alone. So every decision about the grant
// is taken in its own SET and WHERE, and `advanced_by` tells the winner of a race from those who came after it. Those
// may have read their clock before the winner did: no grace has to be said, not computed.
const ADVANCE = statement(
  'advance_grant',
  `with client as (${authenticatedClient({ clientId: '$1', secretHash: '$2', now: '$3' })}),
  advanced as (
    update grants g
    set generation = case when g.generation = $5::int and g.advanced_at > $6::timestamptz
                            and g.created_at > $7::timestamptz
                          then g.generation + 1 else g.generation end,
        advanced_at = case when g.generation = $5::int and g.advanced_at > $6::timestamptz
                             and g.created_at > $7::timestamptz
                           then $3::timestamptz else g.advanced_at end,
        advanced_by = case when g.generation = $5::int and g.advanced_at > $6::timestamptz
                             and g.created_at > $7::timestamptz
                           then $8::bytea else g.advanced_by end,
        revoked_at = case when g.generation > $5::int
                            and not ($5::int > 0 and g.generation = $5::int + 1 and client.refresh_grace > 0
                              and g.advanced_at + make_interval(secs => client.refresh_grace) > $3::timestamptz)
                          then $3::timestamptz end
    from client, users u, consents k
    where g.id = $4::uuid and g.client_id = client.client_id and client.authenticated and g.revoked_at is null
      and u.id = g.user_id and u.suspended_at is null
      and k.user_id = g.user_id and k.client_id = g.client_id
      and g.epoch = u.epoch + client.epoch + k.epoch and client.resources @> $11::text[]
    returning g.id,
      case when g.revoked_at is not null then 'reused'
           when g.advanced_by = $8::bytea then 'advanced'
           when g.generation = $5::int + 1 then 'repeated'
           else 'expired' end as outcome
  ),
  access_token as (
    insert into access_tokens (hash, grant_id, scope, expires_at)
    select $8::bytea, advanced.id, $9::text, $10::timestamptz
    from advanced where advanced.outcome in ('advanced', 'repeated')
  )
  select client.authenticated, client.standard, client.id_token_algorithm as "idTokenAlgorithm", advanced.outcome
  from client left join advanced on true`,
);

/**
 * Takes a grant from the presented generation to the next and stores the access token's hash, or tells why not:
 * exchange of a code, renewal, replay and reuse are all this one statement (RFC 6749 §4.1.2, §10.5; RFC 9700 §4.14.2).
 */
export async function advanceGrant(
  database: Database,
  advance: Advance,
): Promise<{ outcome: AdvanceOutcome; standard: boolean; idTokenAlgorithm: SigningAlgorithm }> {
  const [row] = await database.hotWrite<{
    authenticated: boolean;
    standard: boolean;
    idTokenAlgorithm: SigningAlgorithm;
    outcome: AdvanceOutcome;
  }>(ADVANCE, [
    advance.credentials.clientId,
    advance.credentials.secretHash,
    advance.now,
    advance.grantId,
    advance.generation,
    advance.advancedAfter,
    advance.createdAfter,
    advance.accessTokenHash,
    advance.scope,
    advance.accessTokenExpiresAt,
    advance.audience,
  ]);
  if (row === undefined || !row.authenticated)
    return { outcome: 'unauthenticated', standard: false, idTokenAlgorithm: 'RS256' };
  const { outcome, standard, idTokenAlgorithm } = row;
  return { outcome, standard, idTokenAlgorithm };
}

const INSERT = statement(
  'insert_grant',
  `insert into grants (id, client_id, user_id, epoch, generation, created_at, advanced_at, sid)
  select $1::uuid, c.client_id, u.id, u.epoch + c.epoch + k.epoch, 0, $2::timestamptz, $2::timestamptz, $7::uuid
  from clients c, users u, consents k
  where c.client_id = $3::text and c.suspended_at is null
    and u.id = $4::uuid and u.suspended_at is null and u.epoch = $6::int
    and k.user_id = u.id and k.client_id = c.client_id and k.withdrawn_at is null and k.scopes @> $5::text[]
  returning id`,
);

/**
 * Writes a new grant at generation 0, for a code about to be given out.
 * @returns false when consent, account or application are no longer what they were when the request was decided
 */
export async function insertGrant(
  database: Database,
  grant: {
    id: string;
    clientId: string;
    userId: string;
    /** The account's epoch as the session has it: a password changed since then makes no grant. */
    userEpoch: number;
    /** The session that the authorization was given in. */
    sid: string;
    scopes: readonly string[];
    now: Date;
  },
): Promise<boolean> {
  const rows = await database.hotWrite(INSERT, [
    grant.id,
    grant.now,
    grant.clientId,
    grant.userId,
    grant.scopes,
    grant.userEpoch,
    grant.sid,
  ]);
  return rows.length === 1;
}

/** The person behind an access token, and what it may see of them. */
export interface AccessTokenHolder extends Person {
  clientId: string;
  scope: string;
  /** Whether the application is in standard mode (D19). */
  standard: boolean;
}

const FIND_HOLDER = statement(
  'find_access_token_holder',
  `select t.scope, g.client_id as "clientId", c.standard, u.id as "userId", u.picture_hash as "pictureHash", u.name, u.email, u.email_verified as "emailVerified", u.phone,
    u.profile_updated_at as "profileUpdatedAt"
  from access_tokens t
  join grants g on g.id = t.grant_id
  join users u on u.id = g.user_id
  join clients c on c.client_id = g.client_id
  join consents k on k.user_id = g.user_id and k.client_id = g.client_id
  where t.hash = $1::bytea and t.expires_at > $2::timestamptz and g.revoked_at is null
    and u.suspended_at is null and c.suspended_at is null and g.epoch = u.epoch + c.epoch + k.epoch`,
);

/** The person behind a live access token, by the hash of the whole token; undefined when it is not live. */
export async function findAccessTokenHolder(
  database: Database,
  hash: Buffer,
  now: Date,
): Promise<AccessTokenHolder | undefined> {
  const [row] = await database.hotRead<AccessTokenHolder>(FIND_HOLDER, [hash, now]);
  return row;
}

const REVOKE = statement(
  'revoke_grant',
  `with client as (${authenticatedClient({ clientId: '$1', secretHash: '$2', now: '$3' })}),
  revoked as (
    update grants g set revoked_at = coalesce(g.revoked_at, $3::timestamptz)
    from client
    where client.authenticated and g.client_id = client.client_id
      and g.id = coalesce($4::uuid, (select t.grant_id from access_tokens t where t.hash = $5::bytea))
    returning g.id
  )
  select client.authenticated, revoked.id is not null as revoked,
    case when revoked.id is null then (
      select g.client_id <> client.client_id from grants g
      where g.id = coalesce($4::uuid, (select t.grant_id from access_tokens t where t.hash = $5::bytea))
    ) end as foreign
  from client left join revoked on true`,
);

/**
 * Revokes the grant that is named by its id or by the hash of one of its access tokens, if it is the application's
 * own: `revoked`, `foreign` (another application's, untouched), `unknown` or `unauthenticated`.
 */
export async function revokeGrant(
  database: Database,
  revocation: { credentials: Credentials; now: Date; grantId: string | null; accessTokenHash: Buffer | null },
): Promise<'revoked' | 'foreign' | 'unknown' | 'unauthenticated'> {
  const [row] = await database.hotWrite<{
    authenticated: boolean;
    revoked: boolean;
    foreign: boolean | null;
  }>(REVOKE, [
    revocation.credentials.clientId,
    revocation.credentials.secretHash,
    revocation.now,
    revocation.grantId,
    revocation.accessTokenHash,
  ]);
  if (row === undefined || !row.authenticated) return 'unauthenticated';
  if (row.revoked) return 'revoked';
  return row.foreign === true ? 'foreign' : 'unknown';
}

const REVOKE_OF_SESSION = statement(
  'revoke_grants_of_session',
  `with revoked as (
    update grants set revoked_at = $3::timestamptz
    where sid = $2::uuid and user_id = $1::uuid and revoked_at is null returning 1
  )
  select count(*)::int as revoked from revoked`,
);

/**
 * Revokes every grant of an account that began in one of its sessions.
 * @returns how many there were
 */
export async function revokeGrantsOfSession(
  database: Queryable,
  { userId, sid }: { userId: string; sid: string },
  now: Date,
): Promise<number> {
  const [row] = await database.query<{ revoked: number }>(REVOKE_OF_SESSION, [userId, sid, now]);
  return row?.revoked ?? 0;
}
