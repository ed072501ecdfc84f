// Registers APIs and checks in SQL whether a client may use an API.
import {
  type AllowedClients,
  type ApiGrant,
  type ApiScope,
  type RequestedApi,
  toIdentifierKey,
} from '../oauth/api.ts';
import type { Database } from './database.ts';
import { findHotValue, hasRows } from './query.ts';

export interface NewApi {
  apiId: string;
  ownerId: string;
  identifier: string;
  name: string;
  descriptionFr: string;
  descriptionEn: string;
  scopes: ApiScope[];
  tokenLifetime: number;
  allowedClients: AllowedClients;
}

export const insertApi = hasRows<[api: NewApi, now: Date]>(
  'insert_api',
  `insert into apis (api_id, owner_id, identifier, identifier_key, name, description_fr, description_en, scopes, token_lifetime,
    allowed_clients, created_at)
  values ($apiId::text, $ownerId::uuid, $identifier::text, $identifierKey::text, $name::text, $descriptionFr::text,
    $descriptionEn::text, $scopes::jsonb, $tokenLifetime::int, $allowedClients::text, $now::timestamptz)
  on conflict (identifier_key) do nothing returning 1 as one`,
  (api, now) => ({
    ...api,
    identifierKey: toIdentifierKey(api.identifier),
    scopes: JSON.stringify(api.scopes),
    now,
  }),
);

export const isClientAllowedSql = (
  client: string,
): string => `(a.owner_id = ${client}.owner_id or a.allowed_clients = 'agents'
  or (a.allowed_clients = 'applications' and ${client}.owner_id is not null))`;

/**
 * SQL condition: the API `a` accepts a grant, code or token issued at `since`.
 * Anything issued before a revocation stays invalid, even after access is restored.
 * @param client alias of a row with `client_id` and `owner_id`
 */
export const isAcceptedByApiSql = (client: string, since: string): string => `(a.suspended_at is null
  and ${isClientAllowedSql(client)}
  and not exists (select from api_exclusions x where x.api_id = a.api_id and x.client_id = ${client}.client_id
    and ${isExcludedSql(since)}))`;

export const isExcludedSql = (since: string): string =>
  `(x.lifted_at is null or x.lifted_at > ${since} or x.excluded_at >= ${since})`;

/** SQL condition: the API `a` defines all scopes. For an agent, the scopes must be available to agents. */
export const hasScopesSql = (client: string, scopes: string): string => `(jsonb_path_query_array(a.scopes,
  case when ${client}.owner_id is null then '$[*] ? (@.agents == true).name'::jsonpath else '$[*].name' end) ?& ${scopes}::text[])`;

export const apiAccessJsonSql = (
  client: string,
): string => `json_build_object('apiId', a.api_id, 'identifier', a.identifier,
  'lifetime', a.token_lifetime, 'scopes', case when ${client}.owner_id is null
    then jsonb_path_query_array(a.scopes, '$[*] ? (@.agents == true)') else a.scopes end, 'scopeless', a.scopes = '[]'::jsonb, 'availability', case
    when a.suspended_at is not null then 'suspended'
    when exists (select from api_exclusions x
      where x.api_id = a.api_id and x.client_id = ${client}.client_id and x.lifted_at is null) then 'excluded'
    when ${isClientAllowedSql(client)} then 'open'
    else 'closed' end)`;

export interface DescribedApi extends RequestedApi {
  name: string;
  fr: string;
  en: string;
  ownerId: string;
}

export const apiDescriptionJsonSql = (
  client: string,
): string => `(${apiAccessJsonSql(client)}::jsonb || jsonb_build_object('name', a.name,
  'fr', a.description_fr, 'en', a.description_en, 'ownerId', a.owner_id))`;

const findUserName = findHotValue<string, [userId: string]>(
  'find_user_name',
  'select u.name from users u where u.id = $1::uuid',
);

/** Returns owners' names by user id. Names are read separately because accounts may be on different Citus nodes. */
export async function findOwnerNames(
  database: Pick<Database, 'hotRead'>,
  apis: readonly Pick<DescribedApi, 'ownerId'>[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(apis.map(({ ownerId }) => ownerId))];
  const names = await Promise.all(
    ids.map(async (id) => [id, (await findUserName(database, id)) ?? ''] as const),
  );
  return new Map(names);
}

export const findApiForClient = findHotValue<RequestedApi, [apiId: string, clientId: string]>(
  'find_api_for_client',
  `select ${apiAccessJsonSql('c')} from apis a, clients c where a.api_id = $1::text and c.client_id = $2::text`,
);

export type TokenTarget = Pick<ApiGrant, 'apiId' | 'lifetime' | 'scopes'>;
