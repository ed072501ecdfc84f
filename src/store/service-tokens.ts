// Access tokens from the client_credentials grant (RFC 6749 §4.4).
import type { RequestedApi } from '../oauth/api.ts';
import type { ClientCredentials } from '../oauth/client-authentication.ts';
import { apiAccessJsonSql, hasScopesSql, isAcceptedByApiSql, type TokenTarget } from './apis.ts';
import { AUTHENTICATE_CLIENT_SQL } from './clients.ts';
import type { Database } from './database.ts';
import { execute, hasRows } from './query.ts';
import { statement } from './statement.ts';

export interface ServiceAccess {
  api: RequestedApi;
  granted: string[] | null;
}

const FIND_SERVICE_ACCESS = statement(
  'find_service_access',
  `with client as (${AUTHENTICATE_CLIENT_SQL})
  select client.authenticated, c.type = 'confidential' and exists (
      select from api_service_access s where s.client_id = client.client_id and s.granted_at is not null) as "hasAnyAccess",
    (select json_build_object('api', ${apiAccessJsonSql('client')}, 'granted', s.scopes)
      from apis a left join api_service_access s
        on s.api_id = a.api_id and s.client_id = client.client_id and s.granted_at is not null
      where a.identifier_key = $identifierKey::text) as access
  from client join clients c on c.client_id = client.client_id`,
);

/**
 * Authenticates a client and reads its access to an API.
 * @returns undefined if authentication fails. `hasAnyAccess` is true if the client has access to any API.
 */
export async function findServiceAccess(
  database: Database,
  credentials: ClientCredentials,
  identifierKey: string | undefined,
  now: Date,
): Promise<{ hasAnyAccess: boolean; access: ServiceAccess | null } | undefined> {
  const [row] = await database.query<{
    authenticated: boolean;
    hasAnyAccess: boolean;
    access: ServiceAccess | null;
  }>(FIND_SERVICE_ACCESS, { ...credentials, now, identifierKey: identifierKey ?? null });
  return row?.authenticated ? row : undefined;
}

/**
 * Returns false if the access or the API's settings have changed. Locks the client and the API before the access row,
 * as in deletions, to prevent deadlocks.
 */
export const insertServiceToken = hasRows<
  [token: { hash: Buffer; clientId: string; target: TokenTarget; expiresAt: Date }, now: Date]
>(
  'insert_service_token',
  `insert into service_tokens (hash, client_id, epoch, expires_at, api_id, created_at)
  select $hash::bytea, c.client_id, c.epoch, $expiresAt::timestamptz, a.api_id, $now::timestamptz
  from clients c join api_service_access s on s.client_id = c.client_id join apis a on a.api_id = s.api_id
  where c.client_id = $clientId::text and c.suspended_at is null and c.type = 'confidential'
    and s.api_id = $apiId::text and s.granted_at is not null and s.scopes @> $scopes::text[]
    and a.token_lifetime = $lifetime::int and ${isAcceptedByApiSql('c', '$now::timestamptz')} and ${hasScopesSql('c', '$scopes')}
  for key share of c, a, s returning 1 as one`,
  ({ target, ...token }, now) => ({ ...token, ...target, now }),
);

/** SQL condition: the token `t` of the client `c` for the API `a` is live. */
export const isServiceTokenLiveSql = (scopes: string): string => `c.suspended_at is null and t.epoch = c.epoch
  and exists (select from api_service_access w
    where w.api_id = t.api_id and w.client_id = t.client_id and w.granted_at is not null)
  and ${isAcceptedByApiSql('c', 't.created_at')} and ${hasScopesSql('c', scopes)}`;

export const isServiceTokenLive = hasRows<
  [token: { hash: Buffer; clientId: string; scopes: string[]; now: Date }]
>(
  'is_service_token_live',
  `select from service_tokens t join clients c on c.client_id = t.client_id join apis a on a.api_id = t.api_id
  where t.hash = $1::bytea and t.client_id = $2::text and t.expires_at > $3::timestamptz and ${isServiceTokenLiveSql('$4')}`,
  ({ hash, clientId, scopes, now }) => [hash, clientId, now, scopes],
);

export const deleteServiceToken = execute<[hash: Buffer, clientId: string]>(
  'delete_service_token',
  'delete from service_tokens where hash = $1::bytea and client_id = $2::text',
);
