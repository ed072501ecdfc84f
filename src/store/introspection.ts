// Introspection: whether a token of a client or for an API is live, by the conditions under which it would be accepted.
import type { Credentials } from '../oauth/client-authentication.ts';
import { LIVE_GRANT, ofGrant, ofToken } from './access-tokens.ts';
import { hasScopes, openApi } from './apis.ts';
import type { Database } from './database.ts';
import { findHot } from './query.ts';
import { liveServiceToken } from './service-tokens.ts';
import { statement } from './statement.ts';

const ACCESS_TOKEN = statement(
  'is_access_token_live',
  `select from access_tokens t ${ofToken('$userId::uuid')}
  left join apis a on a.api_id = t.api_id
  where t.user_id = $userId::uuid and t.hash = any (array[$tokenHash::bytea, $apiTokenHash::bytea])
    and t.expires_at > $now::timestamptz and g.client_id = $clientId::text and ${LIVE_GRANT}
    and (t.api_id is null or ${openApi('c', 'g.created_at')} and ${hasScopes('c', "string_to_array(t.scope, ' ')")})`,
);

/** Whether a client's access token is live, by its unverified subject and its digests for this service and for an API. */
export const isAccessTokenLive = async (
  database: Database,
  token: { userId: string; tokenHash: Buffer; apiTokenHash: Buffer; clientId: string; now: Date },
): Promise<boolean> => (await database.hotRead(ACCESS_TOKEN, token)).length === 1;

/** When a refresh token was issued, if it is live and the client's. */
export const findLiveRefreshToken = findHot<
  { issuedAt: Date; createdAt: Date },
  [
    token: {
      userId: string;
      grantId: string;
      generation: number;
      clientId: string;
      /** Idle and absolute lifetime: a token or grant from before has expired. */
      advancedAfter: Date;
      createdAfter: Date;
    },
  ]
>(
  'find_live_refresh_token',
  `select g.advanced_at as "issuedAt", g.created_at as "createdAt" from grants g ${ofGrant('$userId::uuid')}
  where g.user_id = $userId::uuid and g.id = $grantId::uuid and g.generation = $generation::int
    and g.client_id = $clientId::text and g.advanced_at > $advancedAfter::timestamptz
    and g.created_at > $createdAfter::timestamptz and ${LIVE_GRANT}`,
  (token) => ({ ...token }),
);

/** Authenticates an API by a live secret or an accepted assertion. @param live SQL for a live token of `api a` */
const introspecting = (name: string, live: string) =>
  statement(
    name,
    `with api as (
    select a.api_id, a.owner_id, a.admits, a.suspended_at, a.scopes,
      $asserted::boolean or exists (
        select from secrets s where s.holder = a.api_id and s.secret_hash = $secretHash::bytea
          and (s.expires_at is null or s.expires_at > $now::timestamptz)) as authenticated
    from apis a where a.api_id = $clientId::text
  )
  select a.authenticated, a.suspended_at is not null as suspended, a.authenticated and exists (${live}) as live
  from api a`,
  );
const USER_TOKEN = introspecting(
  'introspect_for_api',
  `select from access_tokens t ${ofToken('$userId::uuid')}
    where t.user_id = $userId::uuid and t.hash = $hash::bytea and t.expires_at > $now::timestamptz and t.api_id = a.api_id
      and ${LIVE_GRANT} and ${openApi('c', 'g.created_at')} and ${hasScopes('c', "string_to_array(t.scope, ' ')")}`,
);
const SERVICE_TOKEN = introspecting(
  'introspect_service_token_for_api',
  `select from service_tokens t join clients c on c.client_id = t.client_id
    where t.hash = $hash::bytea and t.expires_at > $now::timestamptz and t.api_id = a.api_id
      and ${liveServiceToken('$scopes')}`,
);

export interface ApiIntrospection {
  authenticated: boolean;
  /** A suspended API gets `live: false` for every token. */
  suspended: boolean;
  /** Whether the token is live, for this API, with scopes that the API still has, and its client is still admitted. */
  live: boolean;
}

/**
 * Authenticates an API and looks up a token for it, in one statement.
 * @param token its digest, and what it says: the user that is its subject, or the scopes of a client's own token
 */
export async function introspectForApi(
  database: Database,
  credentials: Credentials,
  token: { hash: Buffer; userId: string } | { hash: Buffer; scopes: string[] },
  now: Date,
): Promise<ApiIntrospection> {
  const introspection = 'userId' in token ? USER_TOKEN : SERVICE_TOKEN;
  const [row] = await database.hotRead<ApiIntrospection>(introspection, { ...credentials, ...token, now });
  return row ?? { authenticated: false, suspended: false, live: false };
}
