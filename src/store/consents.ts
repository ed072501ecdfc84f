// Records, withdraws and lists users' consents.
import type { ApiScope } from '../oauth/api.ts';
import type { AuditEvent } from './audit-log.ts';
import { findAll, findOne, findValue, hasRows } from './query.ts';
import { LIVE_SESSION_SQL } from './sessions.ts';

/**
 * Records a consent or adds scopes to it.
 * @returns the sum of the consent and client epochs, and the previous scopes. Undefined if the account, client or
 *   session doesn't exist.
 */
export const upsertConsent = findOne<
  { epoch: number; before: string[] | null },
  [
    consent: { userId: string; sid: string; clientId: string; scopes: readonly string[] },
    recorded: { ip: string; detail: AuditEvent['detail'] },
    now: Date,
  ]
>(
  'upsert_consent',
  // Without `materialized`, Citus reads `before` after the insert.
  `with before as materialized (
    select scopes from consents where user_id = $userId::uuid and client_id = $clientId::text and withdrawn_at is null
  ),
  given as (
    insert into consents (user_id, client_id, scopes, granted_at)
    select $userId::uuid, c.client_id, $scopes::text[], $now::timestamptz
    from users u, clients c where u.id = $userId::uuid and c.client_id = $clientId::text
      and exists (select from sessions s where s.user_id = $userId::uuid and s.sid = $sid::uuid
        and s.expires_at > $now::timestamptz and ${LIVE_SESSION_SQL} for share of s)
    on conflict (user_id, client_id) do update
    set scopes = case when consents.withdrawn_at is null
          then array(select distinct unnest(consents.scopes || excluded.scopes)) else excluded.scopes end,
        granted_at = excluded.granted_at, withdrawn_at = null
    returning epoch
  ),
  recorded as (
    insert into events (at, kind, actor_id, user_id, client_id, ip, detail)
    select $now::timestamptz, 'consent_given', $userId::uuid, $userId::uuid, $clientId::text, $ip::text,
      $detail::jsonb from given
  )
  select given.epoch + c.epoch as epoch, (select before.scopes from before) as before
  from given, clients c where c.client_id = $clientId::text`,
  (consent, { ip, detail }, now) => ({ ...consent, ip, detail: JSON.stringify(detail), now }),
);

/** Also revokes the consent's grants. */
export const withdrawConsent = hasRows<[userId: string, clientId: string, now: Date]>(
  'withdraw_consent',
  `update consents set withdrawn_at = $3::timestamptz, epoch = epoch + 1
  where user_id = $1::uuid and client_id = $2::text and withdrawn_at is null returning user_id`,
);

export interface TestSignInConsent {
  userId: string;
  clientId: string;
  startedAt: Date;
  givenAt: Date;
  grantId: string;
  isFirst: boolean;
  addedScopes: readonly string[];
}

/**
 * Withdraws a consent that was given in a test sign-in. If the consent existed before, removes only the scopes that the
 * test sign-in added.
 * @returns whether the consent was withdrawn. Undefined if the client has a newer grant or consent.
 */
export const undoTestSignInConsent = findValue<boolean, [testSignIn: TestSignInConsent, now: Date]>(
  'undo_test_consent',
  `update consents k set
    withdrawn_at = case when $isFirst::boolean then $now::timestamptz end,
    epoch = case when $isFirst::boolean then k.epoch + 1 else k.epoch end,
    scopes = case when $isFirst::boolean then k.scopes
      else array(select e from unnest(k.scopes) as e where e <> all ($addedScopes::text[])) end
  where k.user_id = $userId::uuid and k.client_id = $clientId::text and k.withdrawn_at is null
    and k.granted_at = $givenAt::timestamptz
    and not exists (select from grants g where g.user_id = $userId::uuid and g.client_id = $clientId::text
      and g.created_at >= $startedAt::timestamptz and g.id <> $grantId::uuid and g.revoked_at is null)
  returning k.withdrawn_at is not null as withdrawn`,
  ({ userId, clientId, startedAt, givenAt, grantId, isFirst, addedScopes }, now) => ({
    ...{ userId, clientId, startedAt, givenAt, grantId, isFirst, addedScopes, now },
  }),
);

interface ConsentedApi {
  name: string;
  identifier: string;
  scopes: ApiScope[];
}

/** SQL for the consented scopes of this service. */
export const SERVICE_SCOPES_SQL = `array(select e from unnest(k.scopes) as e where position(' ' in e) = 0)`;

/** SQL for the consented APIs and scopes, as JSON. Omits deleted APIs and scopes. */
export const CONSENTED_APIS_SQL = `(select coalesce(jsonb_agg(jsonb_build_object('name', a.name, 'identifier', a.identifier,
    'scopes', coalesce(consented.scopes, '[]')) order by a.name, a.api_id), '[]')
  from (select distinct split_part(e, ' ', 1) as id from unnest(k.scopes) as e where position(' ' in e) > 0) ids
  join apis a on a.api_id = ids.id
  cross join lateral (select jsonb_agg(s.scope order by s.place) as scopes
    from jsonb_array_elements(a.scopes) with ordinality as s (scope, place)
    where a.api_id || ' ' || (s.scope ->> 'name') = any (k.scopes)) consented
  where consented.scopes is not null or a.api_id || ' ' = any (k.scopes))`;

export interface ConsentRow {
  clientId: string;
  clientName: string;
  logo: string | null;
  homePage: string | null;
  redirectUris: string[];
  agent: boolean;
  scopes: string[];
  apis: ConsentedApi[];
  grantedAt: Date;
  lastUsedAt: Date | null;
}

export const LAST_GRANT_USE_JOIN_SQL = `left join (
    select g.client_id, max(g.rotated_at) as at from grants g where g.user_id = $1::uuid group by g.client_id
  ) used on used.client_id = k.client_id`;

/** SQL for when the client last redeemed a code, refreshed a token or received claims. */
export const LAST_USED_SQL = `greatest(used.at,
  (select max(d.last_at) from disclosures d where d.user_id = $1::uuid and d.client_id = k.client_id))`;

const SELECT_ACTIVE_CONSENTS_SQL = `select k.client_id as "clientId", c.name as "clientName", c.logo,
    case when c.suspended_at is null then c.home_page end as "homePage", c.redirect_uris as "redirectUris",
    c.owner_id is null as agent, ${SERVICE_SCOPES_SQL} as scopes, ${CONSENTED_APIS_SQL} as apis, k.granted_at as "grantedAt", ${LAST_USED_SQL} as "lastUsedAt"
  from consents k join clients c on c.client_id = k.client_id ${LAST_GRANT_USE_JOIN_SQL}
  where k.user_id = $1::uuid and k.withdrawn_at is null`;

export const listConsents = findAll<ConsentRow, [userId: string, limit?: number]>(
  'list_consents',
  `${SELECT_ACTIVE_CONSENTS_SQL} order by k.granted_at desc, k.client_id limit $2::int`,
  (userId, limit) => [userId, limit ?? null],
);

export const findConsent = findOne<ConsentRow, [userId: string, clientId: string]>(
  'find_consent',
  `${SELECT_ACTIVE_CONSENTS_SQL} and k.client_id = $2::text`,
);
