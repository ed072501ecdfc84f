// Consents: what an account agreed to share with an application.
import type { ApiScope } from '../oauth/api.ts';
import type { Queryable } from './database.ts';
import { affects, findAll, findValue } from './query.ts';
import { statement } from './statement.ts';

/**
 * Remembers a consent, added to what was agreed before.
 * @returns what it and the application say together, for a code to be held to beside the account's epoch; undefined
 *   when the account or the application is gone
 */
export const rememberConsent = findValue<
  number,
  [consent: { userId: string; clientId: string; scopes: readonly string[]; now: Date }]
>(
  'upsert_consent',
  `insert into consents (user_id, client_id, scopes, granted_at)
  select u.id, c.client_id, $3::text[], $4::timestamptz
  from users u, clients c where u.id = $1::uuid and c.client_id = $2::text
  on conflict (user_id, client_id) do update
  set scopes = case when consents.withdrawn_at is null
        then array(select distinct unnest(consents.scopes || excluded.scopes)) else excluded.scopes end,
      granted_at = excluded.granted_at, withdrawn_at = null
  returning epoch + (select c.epoch from clients c where c.client_id = $2::text) as epoch`,
  ({ userId, clientId, scopes, now }) => [userId, clientId, scopes, now],
);

/** What a consent in force covers; undefined if there is none. */
export const findConsentedScopes = findValue<string[], [userId: string, clientId: string]>(
  'find_consented_scopes',
  `select scopes from consents
  where user_id = $1::uuid and client_id = $2::text and withdrawn_at is null`,
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

/** A consent in force, with what a person recognises the application by. */
export interface ConsentRow {
  clientId: string;
  applicationName: string;
  redirectUris: string[];
  /** Whether nobody registered it. */
  agent: boolean;
  /** Of this service. */
  scopes: string[];
  apis: AgreedApi[];
  grantedAt: Date;
  /** When the application last made use of it, up to a minute ago; null when it never did. */
  lastUsedAt: Date | null;
}

/** When the client last redeemed a code, refreshed its tokens or received data; needs `consents k`. */
export const LAST_USE_OF_CONSENT = `greatest(
  (select max(g.advanced_at) from grants g where g.user_id = k.user_id and g.client_id = k.client_id),
  (select max(d.last_at) from disclosures d where d.user_id = k.user_id and d.client_id = k.client_id))`;

export interface GivenConsent {
  clientId: string;
  at: Date;
  /** Null once it was removed from the audit log. */
  address: string | null;
  browser: string | undefined;
  system: string | undefined;
}

const LIST_GIVEN = statement(
  'list_given_consents',
  `select client_id as "clientId", at, address, browser, system from (
    select e.client_id, e.at, e.id, e.address, e.detail ->> 'browser' as browser, e.detail ->> 'system' as system,
      row_number() over (partition by e.client_id order by e.at desc, e.id desc) as place
    from events e where e.user_id = $1::uuid and e.kind = 'consent_given'
  ) given where place <= 3 order by at desc, id desc`,
);

/** The last three consents that an account gave to each client, as the audit log has them, latest first. */
export async function listGivenConsents(database: Queryable, userId: string): Promise<GivenConsent[]> {
  type Row = Omit<GivenConsent, 'browser' | 'system'> & Record<'browser' | 'system', string | null>;
  const rows = await database.query<Row>(LIST_GIVEN, [userId]);
  return rows.map(({ browser, system, ...given }) => ({
    ...given,
    browser: browser ?? undefined,
    system: system ?? undefined,
  }));
}

/** The consents of an account that are in force, latest first; those given to a deleted application are not. */
export const listConsents = findAll<ConsentRow, [userId: string]>(
  'list_consents',
  `select k.client_id as "clientId", c.name as "applicationName", c.redirect_uris as "redirectUris",
    c.owner_id is null as agent, ${AGREED_HERE} as scopes, ${AGREED_APIS} as apis, k.granted_at as "grantedAt", ${LAST_USE_OF_CONSENT} as "lastUsedAt"
  from consents k join clients c on c.client_id = k.client_id
  where k.user_id = $1::uuid and k.withdrawn_at is null order by k.granted_at desc, k.client_id`,
);
