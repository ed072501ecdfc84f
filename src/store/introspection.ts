// Token introspection (RFC 7662) and authentication of the APIs that request it.
import type { ClientCredentials } from '../oauth/client-authentication.ts';
import { joinGrantDependenciesSql, joinTokenGrantSql, LIVE_GRANT_SQL } from './access-tokens.ts';
import { hasScopesSql, isAcceptedByApiSql } from './apis.ts';
import type { Database } from './database.ts';
import { findHot } from './query.ts';
import { isServiceTokenLiveSql } from './service-tokens.ts';
import { statement } from './statement.ts';

const IS_ACCESS_TOKEN_LIVE = statement(
  'is_access_token_live',
  `select from access_tokens t ${joinTokenGrantSql('$userId::uuid')}
  left join apis a on a.api_id = t.api_id
  where t.user_id = $userId::uuid and t.hash = any (array[$tokenHash::bytea, $apiTokenHash::bytea])
    and t.expires_at > $now::timestamptz and g.client_id = $clientId::text and ${LIVE_GRANT_SQL}
    and (t.api_id is null or ${isAcceptedByApiSql('c', 'g.created_at')} and ${hasScopesSql('c', "string_to_array(t.scope, ' ')")})`,
);

/** The token's audience is unknown, so the token has two possible digests. */
export const isAccessTokenLive = async (
  database: Database,
  token: { userId: string; tokenHash: Buffer; apiTokenHash: Buffer; clientId: string; now: Date },
): Promise<boolean> => (await database.hotRead(IS_ACCESS_TOKEN_LIVE, token)).length === 1;

/** Returns undefined if the token isn't live or belongs to a different client. */
export const findLiveRefreshToken = findHot<
  { issuedAt: Date; createdAt: Date },
  [
    token: {
      userId: string;
      grantId: string;
      rotation: number;
      clientId: string;
      /** Tokens issued at this time or earlier have expired. */
      rotatedAfter: Date;
      /** Grants created at this time or earlier have expired. */
      createdAfter: Date;
    },
  ]
>(
  'find_live_refresh_token',
  `select g.rotated_at as "issuedAt", g.created_at as "createdAt" from grants g ${joinGrantDependenciesSql('$userId::uuid')}
  where g.user_id = $userId::uuid and g.id = $grantId::uuid and g.rotation = $rotation::int
    and g.client_id = $clientId::text and g.rotated_at > $rotatedAfter::timestamptz
    and g.created_at > $createdAfter::timestamptz and ${LIVE_GRANT_SQL}`,
  (token) => ({ ...token }),
);

/** @param live SQL query that returns a row if the token is live. It can use the API as `a`. */
const defineIntrospectStatement = (name: string, live: string) =>
  statement(
    name,
    `with api as (
    select a.api_id, a.owner_id, a.allowed_clients, a.suspended_at, a.scopes,
      $asserted::boolean or exists (
        select from secrets s where s.holder = a.api_id and s.secret_hash = $secretHash::bytea
          and (s.expires_at is null or s.expires_at > $now::timestamptz)) as authenticated
    from apis a where a.api_id = $clientId::text
  )
  select a.authenticated, a.suspended_at is not null as suspended, a.authenticated and exists (${live}) as live
  from api a`,
  );
const INTROSPECT_USER_TOKEN = defineIntrospectStatement(
  'introspect_for_api',
  `select from access_tokens t ${joinTokenGrantSql('$userId::uuid')}
    where t.user_id = $userId::uuid and t.hash = $hash::bytea and t.expires_at > $now::timestamptz and t.api_id = a.api_id
      and ${LIVE_GRANT_SQL} and ${isAcceptedByApiSql('c', 'g.created_at')} and ${hasScopesSql('c', "string_to_array(t.scope, ' ')")}`,
);
const INTROSPECT_SERVICE_TOKEN = defineIntrospectStatement(
  'introspect_service_token_for_api',
  `select from service_tokens t join clients c on c.client_id = t.client_id
    where t.hash = $hash::bytea and t.expires_at > $now::timestamptz and t.api_id = a.api_id
      and ${isServiceTokenLiveSql('$scopes')}`,
);

export interface ApiIntrospection {
  authenticated: boolean;
  /** If true, all tokens for the API are inactive. */
  suspended: boolean;
  /** Also false if the API no longer accepts the client or the token's scopes. */
  live: boolean;
}

/**
 * Authenticates an API and looks up a token, in one statement.
 * @param token a user's token, or a client_credentials token with its scopes
 */
export async function introspectForApi(
  database: Database,
  credentials: ClientCredentials,
  token: { hash: Buffer; userId: string } | { hash: Buffer; scopes: string[] },
  now: Date,
): Promise<ApiIntrospection> {
  const query = 'userId' in token ? INTROSPECT_USER_TOKEN : INTROSPECT_SERVICE_TOKEN;
  const [row] = await database.hotRead<ApiIntrospection>(query, { ...credentials, ...token, now });
  return row ?? { authenticated: false, suspended: false, live: false };
}
