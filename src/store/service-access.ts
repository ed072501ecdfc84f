// What clients may do at APIs on their own account (client_credentials): requested by their owners, granted by the APIs'.
import { openApi } from './apis.ts';
import type { Queryable } from './database.ts';
import { affects, count, execute, findAll, findOne } from './query.ts';

export interface ServiceAccessRow {
  apiId: string;
  apiName: string;
  identifier: string;
  clientId: string;
  clientName: string;
  redirectUris: string[];
  ownerId: string;
  /** Asked for; where it is granted, granted. */
  scopes: string[];
  askedAt: Date;
  grantedAt: Date | null;
}

const COLUMNS = `select s.api_id as "apiId", a.name as "apiName", a.identifier, s.client_id as "clientId", c.name as "clientName",
    c.redirect_uris as "redirectUris", c.owner_id as "ownerId", s.scopes, s.asked_at as "askedAt",
    s.granted_at as "grantedAt"
  from api_service_access s join apis a on a.api_id = s.api_id join clients c on c.client_id = s.client_id`;
const ORDER = 'order by s.granted_at is not null, s.asked_at desc, s.api_id, s.client_id limit 500';

/** What an application has asked for and been granted; what waits first. */
export const listAccessOfClient = findAll<ServiceAccessRow, [clientId: string]>(
  'list_service_access_of_client',
  `${COLUMNS} where s.client_id = $1::text ${ORDER}`,
);

/** What applications have asked of an API and been granted; what waits first. */
export const listAccessOfApi = findAll<ServiceAccessRow, [apiId: string]>(
  'list_service_access_of_api',
  `${COLUMNS} where s.api_id = $1::text ${ORDER}`,
);

export const findServiceAccessRow = findOne<ServiceAccessRow, [access: { apiId: string; clientId: string }]>(
  'find_service_access_row',
  `${COLUMNS} where s.api_id = $1::text and s.client_id = $2::text`,
  ({ apiId, clientId }) => [apiId, clientId],
);

/** An API that an application may ask something of; held until the transaction ends, so that requests for it are counted one by one. */
export const lockOpenApi = findOne<
  { apiId: string; ownerId: string; scopes: string[] },
  [key: string, clientId: string, now: Date]
>(
  'lock_open_api',
  `select a.api_id as "apiId", a.owner_id as "ownerId",
    array(select scope ->> 'name' from jsonb_array_elements(a.scopes) as scope) as scopes
  from apis a join clients c on c.client_id = $2::text
  where a.identifier_key = $1::text and ${openApi('c', '$3::timestamptz')} for no key update of a`,
);

export const countWaiting = count<[apiId: string]>(
  'count_service_access_asked',
  'select count(*)::int as number from api_service_access where api_id = $1::text and granted_at is null',
);

/** Notes what was asked for, and granted where both are one owner's. False where there is something of the two already. */
export const insertServiceAccess = affects<
  [access: { apiId: string; clientId: string; scopes: readonly string[]; granted: boolean }, now: Date]
>(
  'insert_service_access',
  `insert into api_service_access (api_id, client_id, scopes, asked_at, granted_at)
  values ($1::text, $2::text, $3::text[], $4::timestamptz, $5::timestamptz)
  on conflict (api_id, client_id) do nothing returning 1 as one`,
  ({ apiId, clientId, scopes, granted }, now) => [apiId, clientId, scopes, now, granted ? now : null],
);

export interface Parties {
  apiOwnerId: string;
  apiName: string;
  clientOwnerId: string;
}
const PARTIES = 'a.owner_id as "apiOwnerId", a.name as "apiName", c.owner_id as "clientOwnerId"';

/** Grants what an application asked of an API at a time, or some of it. Undefined when it does not wait, or is not theirs to say. */
export const grantServiceAccess = findOne<
  Parties,
  [
    ownerId: string,
    request: { apiId: string; clientId: string; scopes: readonly string[]; askedAt: Date },
    now: Date,
  ]
>(
  'grant_service_access',
  `update api_service_access s set granted_at = $5::timestamptz, scopes = $4::text[]
  from apis a, clients c
  where s.api_id = $2::text and s.client_id = $3::text and a.api_id = s.api_id and c.client_id = s.client_id
    and a.owner_id = $1::uuid and s.granted_at is null and s.asked_at = $6::timestamptz
    and s.scopes @> $4::text[] and cardinality($4::text[]) > 0
  returning ${PARTIES}`,
  (ownerId, { apiId, clientId, scopes, askedAt }, now) => [ownerId, apiId, clientId, scopes, now, askedAt],
);

const end = findOne<Parties & { granted: boolean }, [ownerId: string, apiId: string, clientId: string]>(
  'end_service_access',
  `delete from api_service_access s using apis a, clients c
  where s.api_id = $2::text and s.client_id = $3::text and a.api_id = s.api_id and c.client_id = s.client_id
    and $1::uuid in (a.owner_id, c.owner_id)
  returning ${PARTIES}, s.granted_at is not null as granted`,
);
/** Ends the tokens of a client for an API. */
export const endServiceTokens = execute<[apiId: string, clientId: string]>(
  'end_service_tokens',
  'delete from service_tokens where api_id = $1::text and client_id = $2::text',
);

/**
 * Ends what a client was granted, or its request, by either owner; and its tokens, so that a later grant revives none.
 * @returns undefined if there is nothing, or it belongs to neither
 */
export async function endServiceAccess(
  transaction: Queryable,
  ownerId: string,
  { apiId, clientId }: { apiId: string; clientId: string },
): Promise<(Parties & { granted: boolean }) | undefined> {
  const ended = await end(transaction, ownerId, apiId, clientId);
  if (ended !== undefined) await endServiceTokens(transaction, apiId, clientId);
  return ended;
}

/** Makes a function that ends access, and then its tokens: storing one locks the row of the access. */
const ending = <Arguments extends unknown[]>(name: string, condition: string) => {
  const end = (table: string) =>
    execute<Arguments>(`end_${table}_${name}`, `delete from ${table} where ${condition}`);
  const [endAccess, endTokens] = [end('api_service_access'), end('service_tokens')];
  return async (transaction: Queryable, ...given: Arguments): Promise<void> => {
    await endAccess(transaction, ...given);
    await endTokens(transaction, ...given);
  };
};

/** Ends everything that a client was granted. */
export const endAllServiceAccess = ending<[clientId: string]>('of_client', 'client_id = $1::text');

/** Ends the access to an API that an account's clients have, which its owner may have granted to themselves. */
export const endServiceAccessOfOwner = ending<[apiId: string, ownerId: string]>(
  'of_owner',
  'api_id = $1::text and client_id in (select c.client_id from clients c where c.owner_id = $2::uuid)',
);
