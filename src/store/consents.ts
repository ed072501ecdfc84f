// Consents: what an account agreed to share with an application.
import type { ApiScope } from '../oauth/api.ts';
import type { AuditEvent } from './events.ts';
import { affects, findAll, findOne } from './query.ts';
import { LIVE_SESSION } from './sessions.ts';

/**
 * Adds to what an account consented to, and records it in the audit log.
 * @returns the epochs of consent and client together, for a code to be held to beside the account's epoch, and the scopes
 *   consented to before (null: none); undefined if the account, the client or the session is gone
 */
export const upsertConsent = findOne<
  { epoch: number; before: string[] | null },
  [
    consent: { userId: string; sid: string; clientId: string; scopes: readonly string[] },
    recorded: { address: string; detail: AuditEvent['detail'] },
    now: Date,
  ]
>(
  'upsert_consent',
  // Materialized, because Citus runs the parts one after the other and would read `before` after the insert.
  `with before as materialized (
    select scopes from consents where user_id = $userId::uuid and client_id = $clientId::text and withdrawn_at is null
  ),
  given as (
    insert into consents (user_id, client_id, scopes, granted_at)
    select $userId::uuid, c.client_id, $scopes::text[], $now::timestamptz
    from users u, clients c where u.id = $userId::uuid and c.client_id = $clientId::text
      and exists (select from sessions s where s.user_id = $userId::uuid and s.sid = $sid::uuid
        and s.expires_at > $now::timestamptz and ${LIVE_SESSION} for share of s)
    on conflict (user_id, client_id) do update
    set scopes = case when consents.withdrawn_at is null
          then array(select distinct unnest(consents.scopes || excluded.scopes)) else excluded.scopes end,
        granted_at = excluded.granted_at, withdrawn_at = null
    returning epoch
  ),
  recorded as (
    insert into events (at, kind, actor_id, user_id, client_id, address, detail)
    select $now::timestamptz, 'consent_given', $userId::uuid, $userId::uuid, $clientId::text, $address::text,
      $detail::jsonb from given
  )
  select given.epoch + c.epoch as epoch, (select before.scopes from before) as before
  from given, clients c where c.client_id = $clientId::text`,
  (consent, { address, detail }, now) => ({ ...consent, address, detail: JSON.stringify(detail), now }),
);

/** Withdraws a consent: every code and token between the two dies at once. False when there was none. */
export const withdrawConsent = affects<[userId: string, clientId: string, now: Date]>(
  'withdraw_consent',
  `update consents set withdrawn_at = $3::timestamptz, epoch = epoch + 1
  where user_id = $1::uuid and client_id = $2::text and withdrawn_at is null returning user_id`,
);

/** What was agreed to of an API that is still there, in its owner's words. */
interface AgreedApi {
  name: string;
  identifier: string;
  scopes: ApiScope[];
}

/** What was agreed to of this service; needs `consents k`. */
export const AGREED_HERE = `array(select e from unnest(k.scopes) as e where position(' ' in e) = 0)`;

/** The APIs of which something was agreed to, as JSON; those that are gone, and scopes that are, are left out. Needs `consents k`. */
export const AGREED_APIS = `(select coalesce(jsonb_agg(jsonb_build_object('name', a.name, 'identifier', a.identifier,
    'scopes', coalesce(agreed.scopes, '[]')) order by a.name, a.api_id), '[]')
  from (select distinct split_part(e, ' ', 1) as id from unnest(k.scopes) as e where position(' ' in e) > 0) of
  join apis a on a.api_id = of.id
  cross join lateral (select jsonb_agg(s.scope order by s.place) as scopes
    from jsonb_array_elements(a.scopes) with ordinality as s (scope, place)
    where a.api_id || ' ' || (s.scope ->> 'name') = any (k.scopes)) agreed
  where agreed.scopes is not null or a.api_id || ' ' = any (k.scopes))`;

export interface ConsentRow {
  clientId: string;
  applicationName: string;
  redirectUris: string[];
  agent: boolean;
  /** Of this service. */
  scopes: string[];
  apis: AgreedApi[];
  grantedAt: Date;
  /** When the application last made use of it, up to a minute ago; null when it never did. */
  lastUsedAt: Date | null;
}

/** Joins when each client last used a grant of the account `$1`, whose grants are read once; needs `consents k`. */
export const WITH_USED_GRANTS = `left join (
    select g.client_id, max(g.advanced_at) as at from grants g where g.user_id = $1::uuid group by g.client_id
  ) used on used.client_id = k.client_id`;

/** When the client last redeemed a code, refreshed its tokens or received data of the account `$1`; needs `WITH_USED_GRANTS`. */
export const LAST_USE_OF_CONSENT = `greatest(used.at,
  (select max(d.last_at) from disclosures d where d.user_id = $1::uuid and d.client_id = k.client_id))`;

/** The consents of an account that are in force, latest first; those given to a deleted application are not. */
export const listConsents = findAll<ConsentRow, [userId: string]>(
  'list_consents',
  `select k.client_id as "clientId", c.name as "applicationName", c.redirect_uris as "redirectUris",
    c.owner_id is null as agent, ${AGREED_HERE} as scopes, ${AGREED_APIS} as apis, k.granted_at as "grantedAt", ${LAST_USE_OF_CONSENT} as "lastUsedAt"
  from consents k join clients c on c.client_id = k.client_id ${WITH_USED_GRANTS}
  where k.user_id = $1::uuid and k.withdrawn_at is null order by k.granted_at desc, k.client_id`,
);
