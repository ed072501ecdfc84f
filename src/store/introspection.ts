// Whether a token of an application, or for an API, is live (RFC 7662): the same conditions under which it would be accepted.
import type { Credentials } from '../oauth/client-authentication.ts';
import { LIVE_GRANT, OF_GRANT } from './access-tokens.ts';
import { hasScopes, openApi } from './apis.ts';
import type { Database } from './database.ts';
import { findHot } from './query.ts';
import { liveServiceToken } from './service-tokens.ts';
import { statement } from './statement.ts';

const ACCESS_TOKEN = statement(
  'is_access_token_live',
  `select from access_tokens t join grants g on g.id = t.grant_id ${OF_GRANT}
  left join apis a on a.api_id = t.api_id
  where t.hash = $1::bytea and t.expires_at > $2::timestamptz and g.client_id = $3::text and ${LIVE_GRANT}
    and (t.api_id is null or ${openApi('c', 'g.created_at')} and ${hasScopes('c', "string_to_array(t.scope, ' ')")})`,
);

/** Whether an access token, by the hash of the whole of it, is live and this application's. */
export const isAccessTokenLive = async (
  database: Database,
  { hash, clientId, now }: { hash: Buffer; clientId: string; now: Date },
): Promise<boolean> => (await database.hotRead(ACCESS_TOKEN, [hash, now, clientId])).length === 1;

/** When a refresh token was issued, if it is live and this application's. */
export const findLiveRefreshToken = findHot<
  { issuedAt: Date; createdAt: Date },
  [
    token: {
      grantId: string;
      generation: number;
      clientId: string;
      /** What was issued before is too old: idle and absolute lifetime. */
      advancedAfter: Date;
      createdAfter: Date;
    },
  ]
>(
  'find_live_refresh_token',
  `select g.advanced_at as "issuedAt", g.created_at as "createdAt" from grants g ${OF_GRANT}
  where g.id = $1::uuid and g.generation = $2::int and g.client_id = $3::text and g.advanced_at > $4::timestamptz
    and g.created_at > $5::timestamptz and ${LIVE_GRANT}`,
  (token) => [token.grantId, token.generation, token.clientId, token.advancedAfter, token.createdAfter],
);

// An API is authenticated by a live secret or by an accepted assertion. Clients are in other tables.
const FOR_API = statement(
  'introspect_for_api',
  `with api as (
    select a.api_id, a.owner_id, a.admits, a.suspended_at, a.scopes,
      $asserted::boolean or exists (
        select from secrets s where s.holder = a.api_id and s.secret_hash = $secretHash::bytea
          and (s.expires_at is null or s.expires_at > $now::timestamptz)) as authenticated
    from apis a where a.api_id = $clientId::text
  )
  select a.authenticated, a.suspended_at is not null as suspended, a.authenticated and (
    exists (
      select from access_tokens t join grants g on g.id = t.grant_id ${OF_GRANT}
      where t.hash = $foreignHash::bytea and t.expires_at > $now::timestamptz and t.api_id = a.api_id and ${LIVE_GRANT}
        and ${openApi('c', 'g.created_at')} and ${hasScopes('c', "string_to_array(t.scope, ' ')")})
    or exists (
      select from service_tokens t join clients c on c.client_id = t.client_id
      where t.hash = $serviceHash::bytea and t.expires_at > $now::timestamptz and t.api_id = a.api_id
        and ${liveServiceToken('$scopes')})) as live
  from api a`,
);

export interface ApiIntrospection {
  authenticated: boolean;
  /** A suspended API is told that no token is live. */
  suspended: boolean;
  /**
   * Whether the token is for this API, live, and of an application that the API still admits, whichever it is, with scopes that
   * the API still has.
   */
  live: boolean;
}

/**
 * Authenticates an API and looks at a token for it, of a person's grant or of an application on its own account, in one
 * statement: what is asked, and how long it takes, is the same for every token.
 * @param token its digests, of either kind, and the scopes that it says it has, which one that is found does have
 */
export async function introspectForApi(
  database: Database,
  credentials: Credentials,
  token: { foreignHash: Buffer; serviceHash: Buffer; scopes: string[] },
  now: Date,
): Promise<ApiIntrospection> {
  const [row] = await database.hotRead<ApiIntrospection>(FOR_API, { ...credentials, ...token, now });
  return row ?? { authenticated: false, suspended: false, live: false };
}
