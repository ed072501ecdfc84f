// Grants: each operation is one statement that authenticates, decides and writes, the access token with it.
import type { Person } from '../oauth/claims.ts';
import type { Credentials } from '../oauth/client-authentication.ts';
import type { SecondFactorRule } from '../oauth/second-factor-rule.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { hasScopes, openApi, type TokenTarget } from './apis.ts';
import { authenticatedClient } from './clients.ts';
import type { Database, Queryable } from './database.ts';
import { type Statement, statement } from './statement.ts';
import { PERSON_AS_JSON } from './users.ts';

/** The access token that was signed for a request: the statement that says yes stores it. */
export interface SignedToken {
  /** Its digest, of the kind that says whom it is for. */
  hash: Buffer;
  expiresAt: Date;
  scope: string;
  /** The API that it is for; null: this service itself. Open to the application on these very terms, or there is none. */
  target: TokenTarget | null;
}

/** What a token request is decided on besides. SQL never asks its own clock (D36). */
interface Presented {
  now: Date;
  credentials: Credentials;
  grantId: string;
}

/** What became of it; the rest is of the application, for the tokens that go with a yes. */
export interface Decision<Outcome> {
  outcome: Outcome | 'unauthenticated' | null;
  standard: boolean;
  idTokenAlgorithm: SigningAlgorithm;
  /** Whom an id_token tells of: with a yes, and only where the application wants more of it than who and when (D57). */
  person: Person | null;
}

async function decide<Outcome>(
  database: Database,
  deciding: Statement,
  values: unknown[],
): Promise<Decision<Outcome>> {
  const [row] = await database.hotWrite<Decision<Outcome> & { authenticated: boolean }>(deciding, values);
  if (row === undefined || !row.authenticated)
    return { outcome: 'unauthenticated', standard: false, idTokenAlgorithm: 'RS256', person: null };
  const { outcome, standard, idTokenAlgorithm, person = null } = row;
  if (person !== null) person.profileUpdatedAt = new Date(person.profileUpdatedAt); // JSON knows no dates
  return { outcome, standard, idTokenAlgorithm, person };
}

/** A code that is presented, with what it says of the grant that it may become. */
export interface Redemption extends Presented {
  /** The application that the code was given to. */
  clientId: string;
  userId: string;
  /** What account, application and consent said together when the person agreed. */
  epoch: number;
  sid: string;
  /**
   * What the code came from, and which has to be there still: the digest of the id that this person's browser session began
   * with, which nobody who knows `SECRET_KEY` alone knows.
   */
  originHash: Buffer;
  /** What a consent has to hold for the code: never more than was agreed to, unless it was made by somebody else. */
  consented: readonly string[];
  /** The APIs that the code names. */
  apiIds: readonly string[];
  createdAt: Date;
  /** A code given before this, or at it, is too old. */
  createdAfter: Date;
  /** Whether the person is to be read along, should the application want to know of them in the id_token (D57). */
  tells: boolean;
}

/**
 * The API that the token was signed for: whether it is open to `client`, and on the terms signed for. Only in statements of
 * their own: where a parameter could say that there is none, PostgreSQL would go on planning anew for each request, which
 * costs more than the rest of it. Materialized, or PostgreSQL puts it into each place that asks for it, and looks as often.
 */
const target = (parameter: { apiId: string; lifetime: string; scopes: string; since: string }): string =>
  `target as materialized (
    select exists (
      select from apis a, client where a.api_id = ${parameter.apiId}::text and a.token_lifetime = ${parameter.lifetime}::int
        and ${openApi('client', parameter.since)} and ${hasScopes('client', parameter.scopes)}) as good
  ),`;

// The grant's id is the code's own: whoever comes second finds it taken, waits for the first to commit, and ends it. A
// code that is not good any more but was used has its grant there to end; should the grant be deleted at this moment,
// what is inserted in its place is revoked already. `for key share`: who ends a session waits for what it is redeeming.
const redeeming = (
  forApi: boolean,
  person = '',
) => `with client as (${authenticatedClient({ clientId: '$1', proof: '$2', now: '$3' })}),
  ${forApi ? target({ apiId: '$17', lifetime: '$18', scopes: '$19', since: '$10::timestamptz' }) : ''}
  code as (
    select $10::timestamptz > $11::timestamptz ${forApi ? 'and (select target.good from target)' : ''}
      and exists (select from sessions s where s.user_id = $6::uuid and s.sid = $8::uuid
        and coalesce(s.origin_hash, s.id_hash) = $9::bytea and s.expires_at > $3::timestamptz for key share) as good
  ),
  redeemed as (
    insert into grants as g (id, client_id, user_id, epoch, generation, advanced_by, created_at, advanced_at, sid, apis,
      revoked_at)
    select $4::uuid, client.client_id, u.id, $7::int, 1, $12::bytea, $10::timestamptz, $3::timestamptz, $8::uuid,
      $16::text[], case when not code.good then $3::timestamptz end
    from client, users u, consents k, code
    where client.authenticated and client.client_id = $5::text
      and u.id = $6::uuid and u.suspended_at is null
      and k.user_id = u.id and k.client_id = client.client_id and k.withdrawn_at is null
      and k.scopes @> $15::text[] and u.epoch + client.epoch + k.epoch = $7::int
      and (code.good or exists (select from grants used where used.id = $4::uuid))
    on conflict (id) do update set revoked_at = $3::timestamptz where g.revoked_at is null
    returning g.id, case when g.revoked_at is null then 'redeemed' else 'reused' end as outcome
  ),
  access_token as (
    insert into access_tokens (hash, grant_id, scope, expires_at, api_id)
    select $12::bytea, redeemed.id, $13::text, $14::timestamptz, ${forApi ? '$17::text' : 'null'}
    from redeemed where redeemed.outcome = 'redeemed'
  )
  select client.authenticated, client.standard, client.id_token_algorithm as "idTokenAlgorithm",
    coalesce(redeemed.outcome,
      case when client.client_id = $5::text and $10::timestamptz <= $11::timestamptz then 'expired'
        ${forApi ? "when client.client_id = $5::text and not (select target.good from target) then 'otherTerms'" : ''}
      end) as outcome
    ${person}
  from client left join redeemed on true`;
const TELLING = `, case when client.id_token_claims and redeemed.outcome = 'redeemed'
      then (select ${PERSON_AS_JSON} from users u where u.id = $6::uuid) end as person`;
const REDEEM = {
  plain: statement('redeem_code', redeeming(false)),
  telling: statement('redeem_code_telling', redeeming(false, TELLING)),
};
const REDEEM_FOR_API = {
  plain: statement('redeem_code_for_api', redeeming(true)),
  telling: statement('redeem_code_for_api_telling', redeeming(true, TELLING)),
};

/**
 * Makes a code into a grant at generation 1, with its first access token, or tells why not (RFC 6749 §4.1.2, §10.5):
 * `reused` (the grant that it became is revoked by this very statement, D13), `expired`, `otherTerms` (the API that the token
 * is for is not open to the application on the terms that it was signed on), null when the code is not this
 * application's or what it rests on has ended; `unauthenticated` before anything of it.
 */
export const redeemCode = (
  database: Database,
  redemption: Redemption,
  token: SignedToken,
): Promise<Decision<'redeemed' | 'reused' | 'expired' | 'otherTerms'>> =>
  decide(
    database,
    (token.target === null ? REDEEM : REDEEM_FOR_API)[redemption.tells ? 'telling' : 'plain'],
    [
      redemption.credentials.clientId,
      redemption.credentials.proof,
      redemption.now,
      redemption.grantId,
      redemption.clientId,
      redemption.userId,
      redemption.epoch,
      redemption.sid,
      redemption.originHash,
      redemption.createdAt,
      redemption.createdAfter,
      token.hash,
      token.scope,
      token.expiresAt,
      redemption.consented,
      redemption.apiIds.length > 0 ? redemption.apiIds : null,
      ...termsOf(token),
    ],
  );

const termsOf = ({ target: api }: SignedToken): unknown[] =>
  api === null ? [] : [api.apiId, api.lifetime, api.scopes];

/** The code of a device that a person let in, with what the poll told of it. */
export interface DeviceRedemption extends Presented {
  deviceCodeHash: Buffer;
  userId: string;
  /** What the access token was signed for. */
  scopes: readonly string[];
}

// The approval is spent by the statement that writes the grant: both happen or neither. Of two at once the second waits
// for the row, and finds it spent. Who ends what began in a session waits for the row as well, and then sees the grant.
const REDEEM_DEVICE = statement(
  'redeem_device_code',
  `with client as (${authenticatedClient({ clientId: '$1', proof: '$2', now: '$3' })}),
  spent as (
    update device_requests d set redeemed_at = $3::timestamptz
    from client, users u, consents k
    where d.device_code_hash = $5::bytea and d.client_id = client.client_id and client.authenticated
      and d.allowed and d.redeemed_at is null and d.expires_at > $3::timestamptz
      and d.user_id = $6::uuid and d.scopes = $7::text[]
      and u.id = d.user_id and u.suspended_at is null
      and k.user_id = u.id and k.client_id = client.client_id and k.withdrawn_at is null
      and k.scopes @> array_remove(d.scopes, 'offline_access') and d.epoch = u.epoch + client.epoch + k.epoch
    returning d.client_id, d.user_id, d.epoch, d.sid, case when client.id_token_claims then ${PERSON_AS_JSON} end as person
  ),
  redeemed as (
    insert into grants (id, client_id, user_id, epoch, generation, advanced_by, created_at, advanced_at, sid)
    select $4::uuid, spent.client_id, spent.user_id, spent.epoch, 1, $8::bytea, $3::timestamptz, $3::timestamptz,
      spent.sid from spent
    returning id
  ),
  access_token as (
    insert into access_tokens (hash, grant_id, scope, expires_at)
    select $8::bytea, redeemed.id, $9::text, $10::timestamptz from redeemed
  )
  select client.authenticated, client.standard, client.id_token_algorithm as "idTokenAlgorithm",
    case when redeemed.id is not null then 'redeemed' end as outcome, spent.person
  from client left join spent on true left join redeemed on true`,
);

/**
 * Makes what a person allowed a device into a grant at generation 1, with its first access token, once (RFC 8628 §3.4);
 * null when another request was quicker or what it rests on has ended; `unauthenticated` before anything of it.
 */
export const redeemDeviceCode = (
  database: Database,
  redemption: DeviceRedemption,
  token: SignedToken,
): Promise<Decision<'redeemed'>> =>
  decide(database, REDEEM_DEVICE, [
    redemption.credentials.clientId,
    redemption.credentials.proof,
    redemption.now,
    redemption.grantId,
    redemption.deviceCodeHash,
    redemption.userId,
    redemption.scopes,
    token.hash,
    token.scope,
    token.expiresAt,
  ]);

/** A refresh token that is presented. */
export interface Advance extends Presented {
  generation: number;
  /** A generation taken before this is too old. */
  advancedAfter: Date;
  /** A grant made before this is too old altogether. */
  createdAfter: Date;
  /** Whether two factors were shown for the grant. */
  strong: boolean;
  /** Of whom the service demands them. */
  demand: SecondFactorRule;
}

// READ COMMITTED: an update that waited for another re-reads the grant's row alone. So every decision about the grant
// is taken in its own SET and WHERE, and `advanced_by` tells the winner of a race from those who came after it. Those
// may have read their clock before the winner did: no grace has to be said, not computed.
// What was shown for a grant is in the ticket: what is demanded of it now may be more (D42).
const TOO_LITTLE = `(not $11::boolean and (client.second_factor_required
  or $12::text = 'everyone' or ($12::text = 'operators' and u.operator)))`;
const IS_NEXT = `g.generation = $5::int and g.advanced_at > $6::timestamptz and g.created_at > $7::timestamptz
  and not ${TOO_LITTLE}`;
const BEGUN = '(select own.created_at from grants own where own.id = $4::uuid)';
const advancing = (forApi: boolean): string => {
  const isNext = forApi ? `(${IS_NEXT} and target.good)` : `(${IS_NEXT})`;
  return `with client as (${authenticatedClient({ clientId: '$1', proof: '$2', now: '$3' })}),
  ${forApi ? target({ apiId: '$13', lifetime: '$14', scopes: '$15', since: BEGUN }) : ''}
  advanced as (
    update grants g
    set generation = case when ${isNext} then g.generation + 1 else g.generation end,
        advanced_at = case when ${isNext} then $3::timestamptz else g.advanced_at end,
        advanced_by = case when ${isNext} then $8::bytea else g.advanced_by end,
        revoked_at = case when g.generation > $5::int
                            and not (g.generation = $5::int + 1 and client.refresh_grace > 0
                              and g.advanced_at + make_interval(secs => client.refresh_grace) > $3::timestamptz)
                          then $3::timestamptz end
    from client, users u, consents k ${forApi ? ', target' : ''}
    where g.id = $4::uuid and g.client_id = client.client_id and client.authenticated and g.revoked_at is null
      and u.id = g.user_id and u.suspended_at is null
      and k.user_id = g.user_id and k.client_id = g.client_id
      and g.epoch = u.epoch + client.epoch + k.epoch
    returning g.id,
      case when g.revoked_at is not null then 'reused'
           when ${TOO_LITTLE} then 'tooLittle'
           ${forApi ? "when not target.good then 'otherTerms'" : ''}
           when g.advanced_by = $8::bytea then 'advanced'
           when g.generation = $5::int + 1 then 'repeated'
           else 'expired' end as outcome,
      case when client.id_token_claims and client.standard then ${PERSON_AS_JSON} end as person
  ),
  access_token as (
    insert into access_tokens (hash, grant_id, scope, expires_at, api_id)
    select $8::bytea, advanced.id, $9::text, $10::timestamptz, ${forApi ? '$13::text' : 'null'}
    from advanced where advanced.outcome in ('advanced', 'repeated')
  )
  select client.authenticated, client.standard, client.id_token_algorithm as "idTokenAlgorithm", advanced.outcome,
    advanced.person
  from client left join advanced on true`;
};
const ADVANCE = statement('advance_grant', advancing(false));
const ADVANCE_FOR_API = statement('advance_grant_for_api', advancing(true));

/**
 * Takes a grant from the presented generation to the next, with another access token, or tells why not (RFC 9700
 * §4.14.2): `advanced` (it was the current one), `repeated` (the one just superseded, within the application's grace,
 * D16), `reused` (older: the grant is revoked by this very statement), `tooLittle` (a second factor is demanded by now, and
 * none was shown: the grant stays as it is), `otherTerms` (as with a code: the grant stays as it is), `expired`; null when there is no live grant of
 * this application; `unauthenticated` before anything of the grant.
 */
export const advanceGrant = (
  database: Database,
  advance: Advance,
  token: SignedToken,
): Promise<Decision<'advanced' | 'repeated' | 'reused' | 'tooLittle' | 'otherTerms' | 'expired'>> =>
  decide(database, token.target === null ? ADVANCE : ADVANCE_FOR_API, [
    advance.credentials.clientId,
    advance.credentials.proof,
    advance.now,
    advance.grantId,
    advance.generation,
    advance.advancedAfter,
    advance.createdAfter,
    token.hash,
    token.scope,
    token.expiresAt,
    advance.strong,
    advance.demand,
    ...termsOf(token),
  ]);

const REVOKE = statement(
  'revoke_grant',
  `with client as (${authenticatedClient({ clientId: '$1', proof: '$2', now: '$3' })}),
  revoked as (
    update grants g set revoked_at = coalesce(g.revoked_at, $3::timestamptz)
    from client
    where client.authenticated and g.client_id = client.client_id
      and g.id = coalesce($4::uuid, (select t.grant_id from access_tokens t where t.hash = any ($5::bytea[])))
    returning g.id
  )
  select client.authenticated, revoked.id is not null as revoked,
    case when revoked.id is null then (
      select g.client_id <> client.client_id from grants g
      where g.id = coalesce($4::uuid, (select t.grant_id from access_tokens t where t.hash = any ($5::bytea[])))
    ) end as foreign
  from client left join revoked on true`,
);

/**
 * Revokes the grant that is named by its id or by a hash of one of its access tokens, if it is the application's
 * own: `revoked`, `foreign` (another application's, untouched), `unknown` or `unauthenticated`.
 */
export async function revokeGrant(
  database: Database,
  revocation: { credentials: Credentials; now: Date; grantId: string | null; accessTokenHashes: Buffer[] },
): Promise<'revoked' | 'foreign' | 'unknown' | 'unauthenticated'> {
  const [row] = await database.hotWrite<{
    authenticated: boolean;
    revoked: boolean;
    foreign: boolean | null;
  }>(REVOKE, [
    revocation.credentials.clientId,
    revocation.credentials.proof,
    revocation.now,
    revocation.grantId,
    revocation.accessTokenHashes,
  ]);
  if (row === undefined || !row.authenticated) return 'unauthenticated';
  if (row.revoked) return 'revoked';
  return row.foreign === true ? 'foreign' : 'unknown';
}

const FORGET_DEVICES_OF_SESSION = statement(
  'forget_devices_of_session',
  'delete from device_requests where sid = $2::uuid and user_id = $1::uuid returning 1 as one',
);

const REVOKE_OF_SESSION = statement(
  'revoke_grants_of_session',
  `with revoked as (
    update grants set revoked_at = $3::timestamptz
    where sid = $2::uuid and user_id = $1::uuid and revoked_at is null returning 1
  )
  select count(*)::int as revoked from revoked`,
);

/**
 * Revokes every grant of an account that began in one of its sessions, and lets no device in that was allowed in it.
 * Devices first, by a statement of its own: it waits for one that is being let in, whose grant the next one sees.
 * @returns how many grants there were
 */
export async function revokeGrantsOfSession(
  database: Queryable,
  { userId, sid }: { userId: string; sid: string },
  now: Date,
): Promise<number> {
  await database.query(FORGET_DEVICES_OF_SESSION, [userId, sid]);
  const [row] = await database.query<{ revoked: number }>(REVOKE_OF_SESSION, [userId, sid, now]);
  return row?.revoked ?? 0;
}
