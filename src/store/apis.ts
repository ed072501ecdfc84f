// APIs that account holders own, and whether one is open to an application.
import { type Admission, type ApiGrant, type ApiScope, identifierKey, type NamedApi } from '../oauth/api.ts';
import type { Database } from './database.ts';
import { affects, findHotValue } from './query.ts';

export interface NewApi {
  apiId: string;
  ownerId: string;
  identifier: string;
  name: string;
  /** What it is, in both languages. */
  wordsFr: string;
  wordsEn: string;
  scopes: ApiScope[];
  tokenLifetime: number;
  admits: Admission;
}

/** Registers an API. False when its identifier is taken: it is of one account alone. */
export const insertApi = affects<[api: NewApi, now: Date]>(
  'insert_api',
  `insert into apis (api_id, owner_id, identifier, identifier_key, name, words_fr, words_en, scopes, token_lifetime,
    admits, created_at)
  values ($apiId::text, $ownerId::uuid, $identifier::text, $identifierKey::text, $name::text, $wordsFr::text,
    $wordsEn::text, $scopes::jsonb, $tokenLifetime::int, $admits::text, $now::timestamptz)
  on conflict (identifier_key) do nothing returning 1 as one`,
  (api, now) => ({
    ...api,
    identifierKey: identifierKey(api.identifier),
    scopes: JSON.stringify(api.scopes),
    now,
  }),
);

/** Whether an API's settings admit an application; needs what `openApi` needs. */
export const admitting = (client: string): string => `(a.owner_id = ${client}.owner_id or a.admits = 'agents'
  or (a.admits = 'applications' and ${client}.owner_id is not null))`;

/**
 * Whether an API is open to a client for what the client was given at a time. Revoking access ends everything given before,
 * for good. Needs `apis a` and, under the given name, a row with `client_id` and `owner_id`.
 * @param since SQL for the time of the grant, code or token
 */
export const openApi = (client: string, since: string): string => `(a.suspended_at is null
  and ${admitting(client)}
  and not exists (select from api_exclusions x where x.api_id = a.api_id and x.client_id = ${client}.client_id
    and ${excluding(since)}))`;

/** Whether an exclusion `x` holds against what was given at a time. */
export const excluding = (since: string): string =>
  `(x.lifted_at is null or x.lifted_at > ${since} or x.excluded_at >= ${since})`;

/** Whether an API still has all of these scopes, and for an agent opens them to agents. Needs what `openApi` needs. */
export const hasScopes = (client: string, scopes: string): string => `(jsonb_path_query_array(a.scopes,
  case when ${client}.owner_id is null then '$[*] ? (@.agents == true).name'::jsonpath else '$[*].name' end) ?& ${scopes}::text[])`;

/** A named API as JSON, as it stands for an application. Needs `apis a`, and the application as `openApi` does. */
export const namedApi = (
  client: string,
): string => `json_build_object('apiId', a.api_id, 'identifier', a.identifier,
  'lifetime', a.token_lifetime, 'scopes', case when ${client}.owner_id is null
    then jsonb_path_query_array(a.scopes, '$[*] ? (@.agents == true)') else a.scopes end, 'scopeless', a.scopes = '[]'::jsonb, 'standing', case
    when a.suspended_at is not null then 'suspended'
    when exists (select from api_exclusions x
      where x.api_id = a.api_id and x.client_id = ${client}.client_id and x.lifted_at is null) then 'excluded'
    when ${admitting(client)} then 'open'
    else 'closed' end)`;

/** A named API with what the page says of it on which a person is asked. */
export interface ShownApi extends NamedApi {
  name: string;
  /** What it is, in its owner's words. */
  fr: string;
  en: string;
  ownerId: string;
}

/** The same as JSON. Needs what `namedApi` needs. */
export const shownApi = (
  client: string,
): string => `(${namedApi(client)}::jsonb || jsonb_build_object('name', a.name,
  'fr', a.words_fr, 'en', a.words_en, 'ownerId', a.owner_id))`;

const findName = findHotValue<string, [userId: string]>(
  'find_name',
  'select u.name from users u where u.id = $1::uuid',
);

/** Finds the names of the accounts that own APIs, by account id. Each may be on a node of its own. */
export async function findOwnerNames(
  database: Pick<Database, 'hotRead'>,
  apis: readonly Pick<ShownApi, 'ownerId'>[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(apis.map(({ ownerId }) => ownerId))];
  const names = await Promise.all(ids.map(async (id) => [id, (await findName(database, id)) ?? ''] as const));
  return new Map(names);
}

/** Finds an API as it stands for an application now. */
export const findNamedApi = findHotValue<NamedApi, [apiId: string, clientId: string]>(
  'find_named_api',
  `select ${namedApi('c')} from apis a, clients c where a.api_id = $1::text and c.client_id = $2::text`,
);

/** The API that an access token is signed for, on the terms that it is signed on. */
export type TokenTarget = Pick<ApiGrant, 'apiId' | 'lifetime' | 'scopes'>;
