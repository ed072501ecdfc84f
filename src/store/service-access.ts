// Clients' access to APIs through client_credentials, granted by the APIs' owners.
import { isAcceptedByApiSql } from './apis.ts';
import type { Queryable } from './database.ts';
import { count, execute, findAll, findOne, hasRows } from './query.ts';

export interface ServiceAccessRow {
  apiId: string;
  apiName: string;
  identifier: string;
  clientId: string;
  clientName: string;
  logo: string | null;
  redirectUris: string[];
  ownerId: string;
  /** The granted scopes, or the requested scopes while the request is pending. */
  scopes: string[];
  requestedAt: Date;
  grantedAt: Date | null;
}

const SELECT_SERVICE_ACCESS_SQL = `select s.api_id as "apiId", a.name as "apiName", a.identifier, s.client_id as "clientId", c.name as "clientName", c.logo,
    c.redirect_uris as "redirectUris", c.owner_id as "ownerId", s.scopes, s.requested_at as "requestedAt",
    s.granted_at as "grantedAt"
  from api_service_access s join apis a on a.api_id = s.api_id join clients c on c.client_id = s.client_id`;
const ORDER_AND_LIMIT_SQL =
  'order by s.granted_at is not null, s.requested_at desc, s.api_id, s.client_id limit 500';

export const listServiceAccessOfClient = findAll<ServiceAccessRow, [clientId: string]>(
  'list_service_access_of_client',
  `${SELECT_SERVICE_ACCESS_SQL} where s.client_id = $1::text ${ORDER_AND_LIMIT_SQL}`,
);

export const listClientsWithServiceAccess = findAll<{ clientId: string }, [clientIds: readonly string[]]>(
  'list_clients_with_service_access',
  `select distinct s.client_id as "clientId" from api_service_access s where s.client_id = any ($1::text[])`,
);

export const listServiceAccessOfApi = findAll<ServiceAccessRow, [apiId: string]>(
  'list_service_access_of_api',
  `${SELECT_SERVICE_ACCESS_SQL} where s.api_id = $1::text ${ORDER_AND_LIMIT_SQL}`,
);

export const findServiceAccessRow = findOne<ServiceAccessRow, [access: { apiId: string; clientId: string }]>(
  'find_service_access_row',
  `${SELECT_SERVICE_ACCESS_SQL} where s.api_id = $1::text and s.client_id = $2::text`,
  ({ apiId, clientId }) => [apiId, clientId],
);

/** Finds an API that accepts the client. Locks the API so that the caller can count pending requests. */
export const lockAvailableApi = findOne<
  { apiId: string; ownerId: string; scopes: string[] },
  [identifierKey: string, clientId: string, now: Date]
>(
  'lock_available_api',
  `select a.api_id as "apiId", a.owner_id as "ownerId",
    array(select scope ->> 'name' from jsonb_array_elements(a.scopes) as scope) as scopes
  from apis a join clients c on c.client_id = $2::text
  where a.identifier_key = $1::text and ${isAcceptedByApiSql('c', '$3::timestamptz')} for no key update of a`,
);

export const countPendingServiceAccess = count<[apiId: string]>(
  'count_pending_service_access',
  'select count(*)::int as number from api_service_access where api_id = $1::text and granted_at is null',
);

/**
 * Inserts a request for access. If `granted` is true, the client gets access at once.
 * @returns false if the client already has access or a pending request
 */
export const insertServiceAccess = hasRows<
  [access: { apiId: string; clientId: string; scopes: readonly string[]; granted: boolean }, now: Date]
>(
  'insert_service_access',
  `insert into api_service_access (api_id, client_id, scopes, requested_at, granted_at)
  values ($1::text, $2::text, $3::text[], $4::timestamptz, $5::timestamptz)
  on conflict (api_id, client_id) do nothing returning 1 as one`,
  ({ apiId, clientId, scopes, granted }, now) => [apiId, clientId, scopes, now, granted ? now : null],
);

export interface AccessParties {
  apiOwnerId: string;
  apiName: string;
  clientOwnerId: string;
}
const PARTY_COLUMNS = 'a.owner_id as "apiOwnerId", a.name as "apiName", c.owner_id as "clientOwnerId"';

/**
 * Grants some or all of the requested scopes.
 * @returns undefined if the request isn't pending or `ownerId` doesn't own the API
 */
export const grantServiceAccess = findOne<
  AccessParties,
  [
    ownerId: string,
    request: { apiId: string; clientId: string; scopes: readonly string[]; requestedAt: Date },
    now: Date,
  ]
>(
  'grant_service_access',
  `update api_service_access s set granted_at = $5::timestamptz, scopes = $4::text[]
  from apis a, clients c
  where s.api_id = $2::text and s.client_id = $3::text and a.api_id = s.api_id and c.client_id = s.client_id
    and a.owner_id = $1::uuid and s.granted_at is null and s.requested_at = $6::timestamptz
    and s.scopes @> $4::text[] and cardinality($4::text[]) > 0
  returning ${PARTY_COLUMNS}`,
  (ownerId, { apiId, clientId, scopes, requestedAt }, now) => [
    ownerId,
    apiId,
    clientId,
    scopes,
    now,
    requestedAt,
  ],
);

const deleteServiceAccess = findOne<
  AccessParties & { granted: boolean },
  [ownerId: string, apiId: string, clientId: string]
>(
  'revoke_service_access',
  `delete from api_service_access s using apis a, clients c
  where s.api_id = $2::text and s.client_id = $3::text and a.api_id = s.api_id and c.client_id = s.client_id
    and $1::uuid in (a.owner_id, c.owner_id)
  returning ${PARTY_COLUMNS}, s.granted_at is not null as granted`,
);
export const deleteServiceTokens = execute<[apiId: string, clientId: string]>(
  'delete_service_tokens',
  'delete from service_tokens where api_id = $1::text and client_id = $2::text',
);

/**
 * Deletes access or a pending request. Allowed for the owner of the client and the owner of the API.
 * Also deletes tokens because a new grant would make them valid again.
 * @returns undefined if there was no access or request
 */
export async function revokeServiceAccess(
  transaction: Queryable,
  ownerId: string,
  { apiId, clientId }: { apiId: string; clientId: string },
): Promise<(AccessParties & { granted: boolean }) | undefined> {
  const revoked = await deleteServiceAccess(transaction, ownerId, apiId, clientId);
  if (revoked !== undefined) await deleteServiceTokens(transaction, apiId, clientId);
  return revoked;
}

/** Deletes tokens last because inserting a token locks the access row. */
const defineRevocation = <Arguments extends unknown[]>(name: string, condition: string) => {
  const deleteFrom = (table: string) =>
    execute<Arguments>(`delete_${table}_${name}`, `delete from ${table} where ${condition}`);
  const [deleteRows, deleteTokens] = [deleteFrom('api_service_access'), deleteFrom('service_tokens')];
  return async (transaction: Queryable, ...args: Arguments): Promise<void> => {
    await deleteRows(transaction, ...args);
    await deleteTokens(transaction, ...args);
  };
};

export const revokeServiceAccessOfClient = defineRevocation<[clientId: string]>(
  'of_client',
  'client_id = $1::text',
);

export const revokeServiceAccessOfOwner = defineRevocation<[apiId: string, ownerId: string]>(
  'of_owner',
  'api_id = $1::text and client_id in (select c.client_id from clients c where c.owner_id = $2::uuid)',
);
