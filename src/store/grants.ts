// Redeems codes, refreshes tokens and revokes grants. Each operation is a single statement.
import type { MfaPolicy } from '../oauth/authentication-methods.ts';
import type { ClaimsSubject } from '../oauth/claims.ts';
import type { ClientCredentials } from '../oauth/client-authentication.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { hasScopesSql, isAcceptedByApiSql, type TokenTarget } from './apis.ts';
import { AUTHENTICATE_CLIENT_SQL } from './clients.ts';
import type { Database } from './database.ts';
import { execute } from './query.ts';
import { type Statement, statement, type Values } from './statement.ts';
import { CLAIMS_SUBJECT_COLUMNS, claimsSubjectJsonSql } from './users.ts';

export interface SignedToken {
  /** The digest depends on the token's audience (oauth/digests.ts). */
  hash: Buffer;
  expiresAt: Date;
  scope: string;
  /** The API's settings when the token was signed. Null if the token is for this service. */
  target: TokenTarget | null;
}

interface TokenRequest {
  now: Date;
  credentials: ClientCredentials;
  userId: string;
  grantId: string;
}

export interface GrantOutcome<Outcome> {
  outcome: Outcome | 'unauthenticated' | null;
  standard: boolean;
  idTokenAlgorithm: SigningAlgorithm;
  /** User claims for the ID token. Null if the ID token contains none. */
  claimsSubject: ClaimsSubject | null;
}

async function runGrantStatement<Outcome>(
  database: Database,
  operation: Statement,
  values: Values,
): Promise<GrantOutcome<Outcome>> {
  const [row] = await database.hotWrite<GrantOutcome<Outcome> & { authenticated: boolean }>(
    operation,
    values,
  );
  if (row === undefined || !row.authenticated)
    return { outcome: 'unauthenticated', standard: false, idTokenAlgorithm: 'RS256', claimsSubject: null };
  const { outcome, standard, idTokenAlgorithm, claimsSubject = null } = row;
  // In JSON, the time is a string.
  if (claimsSubject !== null) claimsSubject.profileUpdatedAt = new Date(claimsSubject.profileUpdatedAt);
  return { outcome, standard, idTokenAlgorithm, claimsSubject };
}

export interface CodeRedemption extends TokenRequest {
  clientId: string;
  /** Sum of the account, client and consent epochs when the code was issued. */
  epoch: number;
  sid: string;
  originHash: Buffer;
  /** The consent must include these scopes. */
  consented: readonly string[];
  apiIds: readonly string[];
  createdAt: Date;
  /** Codes issued at this time or earlier have expired. */
  createdAfter: Date;
}

/**
 * SQL for the CTE `target`. `accepted` is true if the API still accepts the client, the token lifetime and the scopes.
 * Requests without an API use another statement, which PostgreSQL doesn't replan each time.
 * @param since SQL for when the code was issued or the grant was created
 */
const targetSql = (since: string): string =>
  `target as materialized (
    select exists (
      select from apis a, client where a.api_id = $apiId::text and a.token_lifetime = $apiLifetime::int
        and ${isAcceptedByApiSql('client', since)} and ${hasScopesSql('client', '$apiScopes')}) as accepted
  ),`;

const claimsSubjectSql = (condition: string): string =>
  `case when client.id_token_claims and ${condition}
    then (select ${claimsSubjectJsonSql('p')} from (select ${CLAIMS_SUBJECT_COLUMNS} from users u where u.id = $userId::uuid) p) end as "claimsSubject"`;

// If a code is used again, the insert conflicts on the primary key, waits for the first use, and revokes the grant. If
// the grant was deleted concurrently, a revoked grant is inserted. `for key share` keeps the session until the commit.
const redeemCodeSql = (forApi: boolean): string => `with client as (${AUTHENTICATE_CLIENT_SQL}),
  ${forApi ? targetSql('$issuedAt::timestamptz') : ''}
  code as (
    select $issuedAt::timestamptz > $issuedAfter::timestamptz ${forApi ? 'and (select target.accepted from target)' : ''}
      and exists (select from sessions s where s.user_id = $userId::uuid and s.sid = $sid::uuid
        and coalesce(s.origin_hash, s.id_hash) = $originHash::bytea and s.expires_at > $now::timestamptz for key share) as valid
  ),
  redeemed as (
    insert into grants as g (id, client_id, user_id, epoch, rotation, rotated_by, created_at, rotated_at, sid, apis,
      revoked_at)
    select $grantId::uuid, client.client_id, $userId::uuid, $epoch::int, 1, $tokenHash::bytea, $issuedAt::timestamptz, $now::timestamptz, $sid::uuid,
      $apiIds::text[], case when not code.valid then $now::timestamptz end
    from client, users u, consents k, code
    where client.authenticated and client.client_id = $codeClientId::text
      and u.id = $userId::uuid and u.suspended_at is null
      and k.user_id = $userId::uuid and k.client_id = client.client_id and k.withdrawn_at is null
      and k.scopes @> $consented::text[] and u.epoch + client.epoch + k.epoch = $epoch::int
      and (code.valid or exists (select from grants used where used.user_id = $userId::uuid and used.id = $grantId::uuid))
    on conflict (user_id, id) do update set revoked_at = $now::timestamptz where g.revoked_at is null
    returning g.id, case when g.revoked_at is null then 'redeemed' else 'reused' end as outcome
  ),
  access_token as (
    insert into access_tokens (user_id, hash, grant_id, scope, expires_at, api_id)
    select $userId::uuid, $tokenHash::bytea, redeemed.id, $tokenScope::text, $tokenExpiresAt::timestamptz, ${forApi ? '$apiId::text' : 'null'}
    from redeemed where redeemed.outcome = 'redeemed'
  )
  select client.authenticated, client.standard, client.id_token_algorithm as "idTokenAlgorithm",
    coalesce(redeemed.outcome,
      case when client.client_id = $codeClientId::text and $issuedAt::timestamptz <= $issuedAfter::timestamptz then 'expired'
        ${forApi ? "when client.client_id = $codeClientId::text and not (select target.accepted from target) then 'apiChanged'" : ''}
      end) as outcome,
    ${claimsSubjectSql("redeemed.outcome = 'redeemed'")}
  from client left join redeemed on true`;
const REDEEM_CODE = statement('redeem_code', redeemCodeSql(false));
const REDEEM_CODE_FOR_API = statement('redeem_code_for_api', redeemCodeSql(true));

/**
 * Redeems a code: inserts a grant and its first access token (RFC 6749 §4.1.2, §10.5).
 * @returns the outcome.
 * - `reused`: the code was already used. The grant is now revoked.
 * - `apiChanged`: the API rejects the client, or the API's settings have changed.
 * - null: the code belongs to another client, or its session, consent, account or client is invalid.
 */
export const redeemCode = (
  database: Database,
  redemption: CodeRedemption,
  token: SignedToken,
): Promise<GrantOutcome<'redeemed' | 'reused' | 'expired' | 'apiChanged'>> =>
  runGrantStatement(database, token.target === null ? REDEEM_CODE : REDEEM_CODE_FOR_API, {
    ...toRequestValues(redemption),
    ...toTokenValues(token),
    codeClientId: redemption.clientId,
    epoch: redemption.epoch,
    sid: redemption.sid,
    originHash: redemption.originHash,
    issuedAt: redemption.createdAt,
    issuedAfter: redemption.createdAfter,
    consented: redemption.consented,
    apiIds: redemption.apiIds.length > 0 ? redemption.apiIds : null,
  });

const toRequestValues = ({ credentials, now, userId, grantId }: TokenRequest) => ({
  ...credentials,
  now,
  userId,
  grantId,
});

const toTokenValues = ({ hash, scope, expiresAt, target: api }: SignedToken) => ({
  tokenHash: hash,
  tokenScope: scope,
  tokenExpiresAt: expiresAt,
  ...(api !== null && { apiId: api.apiId, apiLifetime: api.lifetime, apiScopes: api.scopes }),
});

export interface DeviceRedemption extends TokenRequest {
  sid: string;
  epoch: number;
  consented: readonly string[];
}

// The grant's id is derived from the device code. The primary key therefore prevents a second redemption.
const REDEEM_DEVICE_CODE = statement(
  'redeem_device_code',
  `with client as (${AUTHENTICATE_CLIENT_SQL}),
  redeemed as (
    insert into grants (id, client_id, user_id, epoch, rotation, rotated_by, created_at, rotated_at, sid)
    select $grantId::uuid, client.client_id, $userId::uuid, $epoch::int, 1, $tokenHash::bytea, $now::timestamptz,
      $now::timestamptz, $sid::uuid
    from client, users u, consents k
    where client.authenticated and u.id = $userId::uuid and u.suspended_at is null
      and k.user_id = $userId::uuid and k.client_id = client.client_id and k.withdrawn_at is null
      and k.scopes @> $consented::text[] and u.epoch + client.epoch + k.epoch = $epoch::int
    on conflict (user_id, id) do nothing
    returning id
  ),
  access_token as (
    insert into access_tokens (user_id, hash, grant_id, scope, expires_at)
    select $userId::uuid, $tokenHash::bytea, redeemed.id, $tokenScope::text, $tokenExpiresAt::timestamptz from redeemed
  )
  select client.authenticated, client.standard, client.id_token_algorithm as "idTokenAlgorithm",
    case when redeemed.id is not null then 'redeemed'
      else (select 'reused' from grants g where g.user_id = $userId::uuid and g.id = $grantId::uuid) end as outcome,
    ${claimsSubjectSql('redeemed.id is not null')}
  from client left join redeemed on true`,
);

/**
 * Redeems a device code: inserts a grant and its first access token (RFC 8628 §3.4).
 * @returns the outcome.
 * - `reused`: the device code was already redeemed.
 * - null: the consent, account or client is invalid.
 */
export const redeemDeviceCode = (
  database: Database,
  redemption: DeviceRedemption,
  token: SignedToken,
): Promise<GrantOutcome<'redeemed' | 'reused'>> =>
  runGrantStatement(database, REDEEM_DEVICE_CODE, {
    ...toRequestValues(redemption),
    ...toTokenValues(token),
    sid: redemption.sid,
    epoch: redemption.epoch,
    consented: redemption.consented,
  });

export interface TokenRefresh extends TokenRequest {
  rotation: number;
  /** Refresh tokens issued at this time or earlier have expired. */
  rotatedAfter: Date;
  /** Grants created at this time or earlier have expired. */
  createdAfter: Date;
  hasMfa: boolean;
  mfaPolicy: MfaPolicy;
}

const IS_MFA_MISSING_SQL = `(not $hasMfa::boolean and (client.mfa_required
  or $mfaPolicy::text = 'everyone' or ($mfaPolicy::text = 'administrators' and u.is_admin)))`;
const CAN_ROTATE_SQL = `g.rotation = $rotation::int and g.rotated_at > $rotatedAfter::timestamptz and g.created_at > $createdAfter::timestamptz
  and not ${IS_MFA_MISSING_SQL}`;
const GRANT_CREATED_AT_SQL =
  '(select existing.created_at from grants existing where existing.user_id = $userId::uuid and existing.id = $grantId::uuid)';
// After waiting for a lock, an update rereads only the grant's row (READ COMMITTED). All conditions on the grant are
// therefore in SET and WHERE. `rotated_by` identifies the request that rotated the grant.
const rotateGrantSql = (forApi: boolean): string => {
  const canRotate = forApi ? `(${CAN_ROTATE_SQL} and target.accepted)` : `(${CAN_ROTATE_SQL})`;
  return `with client as (${AUTHENTICATE_CLIENT_SQL}),
  ${forApi ? targetSql(GRANT_CREATED_AT_SQL) : ''}
  rotated as (
    update grants g
    set rotation = case when ${canRotate} then g.rotation + 1 else g.rotation end,
        rotated_at = case when ${canRotate} then $now::timestamptz else g.rotated_at end,
        rotated_by = case when ${canRotate} then $tokenHash::bytea else g.rotated_by end,
        revoked_at = case when g.rotation > $rotation::int
                            and not (g.rotation = $rotation::int + 1 and client.refresh_grace > 0
                              and $now::timestamptz - g.rotated_at < client.refresh_grace * interval '1 second')
                          then $now::timestamptz end
    from client, users u, consents k ${forApi ? ', target' : ''}
    where g.user_id = $userId::uuid and g.id = $grantId::uuid and g.client_id = client.client_id
      and client.authenticated and g.revoked_at is null
      and u.id = $userId::uuid and u.suspended_at is null
      and k.user_id = $userId::uuid and k.client_id = g.client_id
      and g.epoch = u.epoch + client.epoch + k.epoch
    returning g.id,
      case when g.revoked_at is not null then 'reused'
           when ${IS_MFA_MISSING_SQL} then 'mfaMissing'
           ${forApi ? "when not target.accepted then 'apiChanged'" : ''}
           when g.rotated_by = $tokenHash::bytea then 'rotated'
           when g.rotation = $rotation::int + 1 then 'repeated'
           else 'expired' end as outcome,
      ${CLAIMS_SUBJECT_COLUMNS}
  ),
  access_token as (
    insert into access_tokens (user_id, hash, grant_id, scope, expires_at, api_id)
    select $userId::uuid, $tokenHash::bytea, rotated.id, $tokenScope::text, $tokenExpiresAt::timestamptz, ${forApi ? '$apiId::text' : 'null'}
    from rotated where rotated.outcome in ('rotated', 'repeated')
  )
  select client.authenticated, client.standard, client.id_token_algorithm as "idTokenAlgorithm", rotated.outcome,
    case when client.id_token_claims and client.standard and rotated.outcome in ('rotated', 'repeated')
      then ${claimsSubjectJsonSql('rotated')} end as "claimsSubject"
  from client left join rotated on true`;
};
const ROTATE_GRANT = statement('rotate_grant', rotateGrantSql(false));
const ROTATE_GRANT_FOR_API = statement('rotate_grant_for_api', rotateGrantSql(true));

/**
 * Redeems a refresh token: rotates the grant and inserts an access token (RFC 9700 §4.14.2).
 * @returns the outcome.
 * - `repeated`: the token was replaced, but is in its grace period.
 * - `reused`: the token was replaced, and its grace period is over. The grant is now revoked.
 * - `apiChanged`: the API rejects the client, or the API's settings have changed.
 * - null: the client has no such live grant.
 */
export const rotateGrant = (
  database: Database,
  refresh: TokenRefresh,
  token: SignedToken,
): Promise<GrantOutcome<'rotated' | 'repeated' | 'reused' | 'mfaMissing' | 'apiChanged' | 'expired'>> =>
  runGrantStatement(database, token.target === null ? ROTATE_GRANT : ROTATE_GRANT_FOR_API, {
    ...toRequestValues(refresh),
    ...toTokenValues(token),
    rotation: refresh.rotation,
    rotatedAfter: refresh.rotatedAfter,
    createdAfter: refresh.createdAfter,
    hasMfa: refresh.hasMfa,
    mfaPolicy: refresh.mfaPolicy,
  });

// There are two statements because PostgreSQL would replan a combined one for each request.
const defineRevokeStatement = (name: string, grantId: string) =>
  statement(
    name,
    `with client as (${AUTHENTICATE_CLIENT_SQL}),
  revoked as (
    update grants g set revoked_at = coalesce(g.revoked_at, $now::timestamptz)
    from client
    where client.authenticated and g.client_id = client.client_id and g.user_id = $userId::uuid and g.id = ${grantId}
    returning g.id
  )
  select client.authenticated, revoked.id is not null as revoked,
    case when revoked.id is null then exists (
      select from grants g where g.user_id = $userId::uuid and g.id = ${grantId} and g.client_id <> $clientId::text
    ) end as foreign
  from client left join revoked on true`,
  );
const REVOKE_GRANT = defineRevokeStatement('revoke_grant', '$grantId::uuid');
const REVOKE_GRANT_BY_ACCESS_TOKEN = defineRevokeStatement(
  'revoke_grant_by_access_token',
  `(select t.grant_id from access_tokens t
    where t.user_id = $userId::uuid and t.hash = any (array[$tokenHash::bytea, $apiTokenHash::bytea]))`,
);

/** @returns `foreign` if the grant wasn't revoked because it belongs to a different client */
export async function revokeGrant(
  database: Database,
  { credentials, now }: Pick<TokenRequest, 'credentials' | 'now'>,
  /** An access token has two possible digests because its audience is unknown. */
  grantKey: { userId: string } & ({ grantId: string } | { tokenHash: Buffer; apiTokenHash: Buffer }),
): Promise<'revoked' | 'foreign' | 'unknown' | 'unauthenticated'> {
  const [row] = await database.hotWrite<{
    authenticated: boolean;
    revoked: boolean;
    foreign: boolean | null;
  }>('grantId' in grantKey ? REVOKE_GRANT : REVOKE_GRANT_BY_ACCESS_TOKEN, {
    ...grantKey,
    ...credentials,
    now,
  });
  if (row === undefined || !row.authenticated) return 'unauthenticated';
  if (row.revoked) return 'revoked';
  return row.foreign === true ? 'foreign' : 'unknown';
}

/** Also clears `sid` so that the client isn't notified of the logout. It never received tokens from the test sign-in. */
export const revokeTestSignInGrant = execute<[grant: { userId: string; grantId: string }, now: Date]>(
  'revoke_test_grant',
  `update grants set revoked_at = coalesce(revoked_at, $3::timestamptz), sid = null
  where user_id = $1::uuid and id = $2::uuid`,
  ({ userId, grantId }, now) => [userId, grantId, now],
);
