// Access tokens of applications on their own account (RFC 6749 §4.4), which the owner of an API granted to them.
import type { NamedApi } from '../oauth/api.ts';
import type { Credentials } from '../oauth/client-authentication.ts';
import { hasScopes, namedApi, openApi, type TokenTarget } from './apis.ts';
import { AUTHENTICATED_CLIENT } from './clients.ts';
import type { Database } from './database.ts';
import { affects, execute } from './query.ts';
import { statement } from './statement.ts';

export interface ServiceAccess {
  api: NamedApi;
  /** What the API's owner granted; null when they have not. */
  granted: string[] | null;
}

const FIND_ACCESS = statement(
  'find_service_access',
  `with client as (${AUTHENTICATED_CLIENT})
  select client.authenticated, c.type = 'confidential' and exists (
      select from api_service_access s where s.client_id = client.client_id and s.granted_at is not null) as on,
    (select json_build_object('api', ${namedApi('client')}, 'granted', s.scopes)
      from apis a left join api_service_access s
        on s.api_id = a.api_id and s.client_id = client.client_id and s.granted_at is not null
      where a.identifier_key = $identifierKey::text) as access
  from client join clients c on c.client_id = client.client_id`,
);

/**
 * Authenticates a client, and reads what it may ask of an API on its own account; undefined if it isn't authenticated.
 * @returns `on` whether it was granted anything by any API
 */
export async function findServiceAccess(
  database: Database,
  credentials: Credentials,
  key: string | undefined,
  now: Date,
): Promise<{ on: boolean; access: ServiceAccess | null } | undefined> {
  const [row] = await database.query<{
    authenticated: boolean;
    on: boolean;
    access: ServiceAccess | null;
  }>(FIND_ACCESS, { ...credentials, now, identifierKey: key ?? null });
  return row?.authenticated ? row : undefined;
}

// Application and API before the access, as whoever deletes one of them takes them: neither waits for the other in a circle.
/** Stores a token about to be given out; false when the application may not have it any more, or not for so long. */
export const insertServiceToken = affects<
  [token: { hash: Buffer; clientId: string; target: TokenTarget; expiresAt: Date }, now: Date]
>(
  'insert_service_token',
  `insert into service_tokens (hash, client_id, epoch, expires_at, api_id, created_at)
  select $hash::bytea, c.client_id, c.epoch, $expiresAt::timestamptz, a.api_id, $now::timestamptz
  from clients c join api_service_access s on s.client_id = c.client_id join apis a on a.api_id = s.api_id
  where c.client_id = $clientId::text and c.suspended_at is null and c.type = 'confidential'
    and s.api_id = $apiId::text and s.granted_at is not null and s.scopes @> $scopes::text[]
    and a.token_lifetime = $lifetime::int and ${openApi('c', '$now::timestamptz')} and ${hasScopes('c', '$scopes')}
  for key share of c, a, s returning 1 as one`,
  ({ target, ...token }, now) => ({ ...token, ...target, now }),
);

/** Whether a token `t` of a client `c` for an API `a` is live, as a condition. @param scopes SQL for its scopes */
export const liveServiceToken = (scopes: string): string => `c.suspended_at is null and t.epoch = c.epoch
  and exists (select from api_service_access w
    where w.api_id = t.api_id and w.client_id = t.client_id and w.granted_at is not null)
  and ${openApi('c', 't.created_at')} and ${hasScopes('c', scopes)}`;

/** Whether a token is live, by its digest and the scopes that it says it has. */
export const isServiceTokenLive = affects<
  [token: { hash: Buffer; clientId: string; scopes: string[]; now: Date }]
>(
  'is_service_token_live',
  `select from service_tokens t join clients c on c.client_id = t.client_id join apis a on a.api_id = t.api_id
  where t.hash = $1::bytea and t.client_id = $2::text and t.expires_at > $3::timestamptz and ${liveServiceToken('$4')}`,
  ({ hash, clientId, scopes, now }) => [hash, clientId, now, scopes],
);

export const deleteServiceToken = execute<[hash: Buffer, clientId: string]>(
  'delete_service_token',
  'delete from service_tokens where hash = $1::bytea and client_id = $2::text',
);
