// Grants: each operation is one statement that authenticates, decides and writes, the access token with it.
import type { SecondFactorRule } from '../oauth/authentication-methods.ts';
import type { Person } from '../oauth/claims.ts';
import type { Credentials } from '../oauth/client-authentication.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { hasScopes, openApi, type TokenTarget } from './apis.ts';
import { AUTHENTICATED_CLIENT } from './clients.ts';
import type { Database } from './database.ts';
import { type Statement, statement, type Values } from './statement.ts';
import { PERSON_COLUMNS, personAsJson } from './users.ts';

/** A signed access token, stored by the statement that accepts the request. */
export interface SignedToken {
  /** Its digest, which depends on the audience. */
  hash: Buffer;
  expiresAt: Date;
  scope: string;
  /** The API that it is for, and the terms that it was signed on; null: this service. */
  target: TokenTarget | null;
}

/** What every token request presents. Its time is the clock of SQL, too. */
interface Presented {
  now: Date;
  credentials: Credentials;
  userId: string;
  grantId: string;
}

/** The outcome, and how the client wants its tokens. */
export interface Decision<Outcome> {
  outcome: Outcome | 'unauthenticated' | null;
  standard: boolean;
  idTokenAlgorithm: SigningAlgorithm;
  /** The claims of an id_token, if the request is accepted and the client wants them. */
  person: Person | null;
}

async function decide<Outcome>(
  database: Database,
  deciding: Statement,
  values: Values,
): Promise<Decision<Outcome>> {
  const [row] = await database.hotWrite<Decision<Outcome> & { authenticated: boolean }>(deciding, values);
  if (row === undefined || !row.authenticated)
    return { outcome: 'unauthenticated', standard: false, idTokenAlgorithm: 'RS256', person: null };
  const { outcome, standard, idTokenAlgorithm, person = null } = row;
  if (person !== null) person.profileUpdatedAt = new Date(person.profileUpdatedAt); // JSON knows no dates
  return { outcome, standard, idTokenAlgorithm, person };
}

export interface Redemption extends Presented {
  clientId: string;
  /** The sum of the epochs when the user consented. */
  epoch: number;
  sid: string;
  /** Digest of the id that the user's session started with. The session must be live. */
  originHash: Buffer;
  /** The scopes that the consent must cover. */
  consented: readonly string[];
  apiIds: readonly string[];
  createdAt: Date;
  /** A code issued at this time or before has expired. */
  createdAfter: Date;
}

/**
 * Whether the API is open to `client` on the terms that the token was signed on. Materialized, or it is evaluated at each
 * use; in separate statements, because PostgreSQL would plan again for each request if a parameter decided it.
 * @param since SQL for the time of the code or grant
 */
const target = (since: string): string =>
  `target as materialized (
    select exists (
      select from apis a, client where a.api_id = $apiId::text and a.token_lifetime = $apiLifetime::int
        and ${openApi('client', since)} and ${hasScopes('client', '$apiScopes')}) as good
  ),`;

/** The claims of an id_token, where the client wants them. @param condition SQL */
const person = (condition: string): string =>
  `case when client.id_token_claims and ${condition}
    then (select ${personAsJson('p')} from (select ${PERSON_COLUMNS} from users u where u.id = $userId::uuid) p) end as person`;

// The primary key decides: a second use of the code waits for the first to commit, and then revokes its grant. If that is
// deleted at this moment, the row inserted in its place is revoked. `for key share`: whoever ends the session waits.
const redeeming = (forApi: boolean): string => `with client as (${AUTHENTICATED_CLIENT}),
  ${forApi ? target('$issuedAt::timestamptz') : ''}
  code as (
    select $issuedAt::timestamptz > $issuedAfter::timestamptz ${forApi ? 'and (select target.good from target)' : ''}
      and exists (select from sessions s where s.user_id = $userId::uuid and s.sid = $sid::uuid
        and coalesce(s.origin_hash, s.id_hash) = $originHash::bytea and s.expires_at > $now::timestamptz for key share) as good
  ),
  redeemed as (
    insert into grants as g (id, client_id, user_id, epoch, generation, advanced_by, created_at, advanced_at, sid, apis,
      revoked_at)
    select $grantId::uuid, client.client_id, $userId::uuid, $epoch::int, 1, $tokenHash::bytea, $issuedAt::timestamptz, $now::timestamptz, $sid::uuid,
      $apiIds::text[], case when not code.good then $now::timestamptz end
    from client, users u, consents k, code
    where client.authenticated and client.client_id = $codeClientId::text
      and u.id = $userId::uuid and u.suspended_at is null
      and k.user_id = $userId::uuid and k.client_id = client.client_id and k.withdrawn_at is null
      and k.scopes @> $consented::text[] and u.epoch + client.epoch + k.epoch = $epoch::int
      and (code.good or exists (select from grants used where used.user_id = $userId::uuid and used.id = $grantId::uuid))
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
        ${forApi ? "when client.client_id = $codeClientId::text and not (select target.good from target) then 'otherTerms'" : ''}
      end) as outcome,
    ${person("redeemed.outcome = 'redeemed'")}
  from client left join redeemed on true`;
const REDEEM = statement('redeem_code', redeeming(false));
const REDEEM_FOR_API = statement('redeem_code_for_api', redeeming(true));

/**
 * Inserts the grant of a code at generation 1, with its first access token (RFC 6749 §4.1.2, §10.5).
 * @returns `reused` (its grant is revoked now), `expired`, `otherTerms` (of the API), `unauthenticated` (before anything
 *   else), or null if the code isn't the client's or what it rests on has ended
 */
export const redeemCode = (
  database: Database,
  redemption: Redemption,
  token: SignedToken,
): Promise<Decision<'redeemed' | 'reused' | 'expired' | 'otherTerms'>> =>
  decide(database, token.target === null ? REDEEM : REDEEM_FOR_API, {
    ...presented(redemption),
    ...stored(token),
    codeClientId: redemption.clientId,
    epoch: redemption.epoch,
    sid: redemption.sid,
    originHash: redemption.originHash,
    issuedAt: redemption.createdAt,
    issuedAfter: redemption.createdAfter,
    consented: redemption.consented,
    apiIds: redemption.apiIds.length > 0 ? redemption.apiIds : null,
  });

const presented = ({ credentials, now, userId, grantId }: Presented) => ({
  ...credentials,
  now,
  userId,
  grantId,
});

const stored = ({ hash, scope, expiresAt, target: api }: SignedToken) => ({
  tokenHash: hash,
  tokenScope: scope,
  tokenExpiresAt: expiresAt,
  ...(api !== null && { apiId: api.apiId, apiLifetime: api.lifetime, apiScopes: api.scopes }),
});

/** A device code that its user has allowed, as `pollDeviceRequest` returned it. */
export interface DeviceRedemption extends Presented {
  sid: string;
  /** The sum of the epochs when the user allowed it. */
  epoch: number;
  /** The scopes that the consent must cover. */
  consented: readonly string[];
}

// The id of the grant is that of its device code, so the primary key decides.
const REDEEM_DEVICE = statement(
  'redeem_device_code',
  `with client as (${AUTHENTICATED_CLIENT}),
  redeemed as (
    insert into grants (id, client_id, user_id, epoch, generation, advanced_by, created_at, advanced_at, sid)
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
    ${person('redeemed.id is not null')}
  from client left join redeemed on true`,
);

/**
 * Inserts the grant of an allowed device code at generation 1, with its first access token, once (RFC 8628 §3.4).
 * @returns `unauthenticated`, `reused`, or null if another request is first or what it rests on has ended
 */
export const redeemDeviceCode = (
  database: Database,
  redemption: DeviceRedemption,
  token: SignedToken,
): Promise<Decision<'redeemed' | 'reused'>> =>
  decide(database, REDEEM_DEVICE, {
    ...presented(redemption),
    ...stored(token),
    sid: redemption.sid,
    epoch: redemption.epoch,
    consented: redemption.consented,
  });

export interface Advance extends Presented {
  generation: number;
  /** A generation issued before this has expired. */
  advancedAfter: Date;
  /** A grant made before this has expired. */
  createdAfter: Date;
  strong: boolean;
  demand: SecondFactorRule;
}

// READ COMMITTED: an update that waited for another reads the grant's row again, and only that. So every decision about the
// grant is in its own SET and WHERE, and `advanced_by` tells the winner of a race from the others, whose clocks may be
// behind. MFA that is required now is compared with what the ticket says was shown for the grant.
const TOO_LITTLE = `(not $strong::boolean and (client.second_factor_required
  or $demand::text = 'everyone' or ($demand::text = 'operators' and u.operator)))`;
const IS_NEXT = `g.generation = $generation::int and g.advanced_at > $advancedAfter::timestamptz and g.created_at > $createdAfter::timestamptz
  and not ${TOO_LITTLE}`;
const BEGUN =
  '(select own.created_at from grants own where own.user_id = $userId::uuid and own.id = $grantId::uuid)';
const advancing = (forApi: boolean): string => {
  const isNext = forApi ? `(${IS_NEXT} and target.good)` : `(${IS_NEXT})`;
  return `with client as (${AUTHENTICATED_CLIENT}),
  ${forApi ? target(BEGUN) : ''}
  advanced as (
    update grants g
    set generation = case when ${isNext} then g.generation + 1 else g.generation end,
        advanced_at = case when ${isNext} then $now::timestamptz else g.advanced_at end,
        advanced_by = case when ${isNext} then $tokenHash::bytea else g.advanced_by end,
        revoked_at = case when g.generation > $generation::int
                            and not (g.generation = $generation::int + 1 and client.refresh_grace > 0
                              and $now::timestamptz - g.advanced_at < client.refresh_grace * interval '1 second')
                          then $now::timestamptz end
    from client, users u, consents k ${forApi ? ', target' : ''}
    where g.user_id = $userId::uuid and g.id = $grantId::uuid and g.client_id = client.client_id
      and client.authenticated and g.revoked_at is null
      and u.id = $userId::uuid and u.suspended_at is null
      and k.user_id = $userId::uuid and k.client_id = g.client_id
      and g.epoch = u.epoch + client.epoch + k.epoch
    returning g.id,
      case when g.revoked_at is not null then 'reused'
           when ${TOO_LITTLE} then 'tooLittle'
           ${forApi ? "when not target.good then 'otherTerms'" : ''}
           when g.advanced_by = $tokenHash::bytea then 'advanced'
           when g.generation = $generation::int + 1 then 'repeated'
           else 'expired' end as outcome,
      ${PERSON_COLUMNS}
  ),
  access_token as (
    insert into access_tokens (user_id, hash, grant_id, scope, expires_at, api_id)
    select $userId::uuid, $tokenHash::bytea, advanced.id, $tokenScope::text, $tokenExpiresAt::timestamptz, ${forApi ? '$apiId::text' : 'null'}
    from advanced where advanced.outcome in ('advanced', 'repeated')
  )
  select client.authenticated, client.standard, client.id_token_algorithm as "idTokenAlgorithm", advanced.outcome,
    case when client.id_token_claims and client.standard and advanced.outcome in ('advanced', 'repeated')
      then ${personAsJson('advanced')} end as person
  from client left join advanced on true`;
};
const ADVANCE = statement('advance_grant', advancing(false));
const ADVANCE_FOR_API = statement('advance_grant_for_api', advancing(true));

/**
 * Advances a grant from the presented generation to the next, with another access token (RFC 9700 §4.14.2).
 * @returns `advanced` (it was the current one), `repeated` (the one just superseded, within the grace), `reused` (an older
 *   one: the grant is revoked now), `tooLittle` (MFA is required), `otherTerms` (of the API), `expired`, `unauthenticated`,
 *   or null if the client has no such live grant
 */
export const advanceGrant = (
  database: Database,
  advance: Advance,
  token: SignedToken,
): Promise<Decision<'advanced' | 'repeated' | 'reused' | 'tooLittle' | 'otherTerms' | 'expired'>> =>
  decide(database, token.target === null ? ADVANCE : ADVANCE_FOR_API, {
    ...presented(advance),
    ...stored(token),
    generation: advance.generation,
    advancedAfter: advance.advancedAfter,
    createdAfter: advance.createdAfter,
    strong: advance.strong,
    demand: advance.demand,
  });

// Two statements, because PostgreSQL would plan again for each request if a parameter could make the look-up needless.
const revoking = (name: string, grantId: string) =>
  statement(
    name,
    `with client as (${AUTHENTICATED_CLIENT}),
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
const REVOKE = revoking('revoke_grant', '$grantId::uuid');
const REVOKE_BY_ACCESS_TOKEN = revoking(
  'revoke_grant_by_access_token',
  `(select t.grant_id from access_tokens t
    where t.user_id = $userId::uuid and t.hash = any (array[$tokenHash::bytea, $apiTokenHash::bytea]))`,
);

/**
 * Revokes the client's grant that has this id or access token.
 * @returns `foreign` if it is another client's, which stays as it is
 */
export async function revokeGrant(
  database: Database,
  { credentials, now }: Pick<Presented, 'credentials' | 'now'>,
  /** The account, and the access token by its digests for this service and for an API. */
  named: { userId: string } & ({ grantId: string } | { tokenHash: Buffer; apiTokenHash: Buffer }),
): Promise<'revoked' | 'foreign' | 'unknown' | 'unauthenticated'> {
  const [row] = await database.hotWrite<{
    authenticated: boolean;
    revoked: boolean;
    foreign: boolean | null;
  }>('grantId' in named ? REVOKE : REVOKE_BY_ACCESS_TOKEN, { ...named, ...credentials, now });
  if (row === undefined || !row.authenticated) return 'unauthenticated';
  if (row.revoked) return 'revoked';
  return row.foreign === true ? 'foreign' : 'unknown';
}
