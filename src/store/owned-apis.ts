// Reads and changes APIs for their owners. Statements with an `ownerId` check ownership.
import type { JSONWebKeySet } from 'jose';
import type { AllowedClients, ApiScope } from '../oauth/api.ts';
import { recordAddedEntriesSql, selectKeyEntriesSql } from './added-entries.ts';
import { visibilitySql } from './owned-resources.ts';
import { execute, findAll, findOne } from './query.ts';

export interface ApiSettings {
  name: string;
  descriptionFr: string;
  descriptionEn: string;
  allowedClients: AllowedClients;
  tokenLifetime: number;
}

export interface OwnedApi extends ApiSettings {
  apiId: string;
  identifier: string;
  scopes: ApiScope[];
  jwks: JSONWebKeySet | null;
  suspended: boolean;
  createdAt: Date;
}

const COLUMNS = `a.api_id as "apiId", a.identifier, a.name, a.description_fr as "descriptionFr", a.description_en as "descriptionEn", a.scopes, a.jwks,
    a.allowed_clients as "allowedClients", a.token_lifetime as "tokenLifetime", a.suspended_at is not null as suspended,
    a.created_at as "createdAt"`;

export const listOwnedApis = findAll<OwnedApi, [ownerId: string]>(
  'list_own_apis',
  `select ${COLUMNS} from apis a where a.owner_id = $1::uuid order by a.created_at desc, a.api_id`,
);

const FIND_OWNED_API_SQL = `select ${COLUMNS} from apis a where a.owner_id = $1::uuid and a.api_id = $2::text`;

export const findOwnedApi = findOne<OwnedApi, [ownerId: string, apiId: string]>(
  'find_own_api',
  FIND_OWNED_API_SQL,
);

export const lockOwnedApi = findOne<OwnedApi, [ownerId: string, apiId: string]>(
  'lock_own_api',
  `${FIND_OWNED_API_SQL} for no key update of a`,
);

export const updateOwnedApi = execute<[ownerId: string, apiId: string, settings: ApiSettings]>(
  'update_own_api',
  `update apis set name = $name::text, description_fr = $descriptionFr::text, description_en = $descriptionEn::text, allowed_clients = $allowedClients::text,
    token_lifetime = $tokenLifetime::int
  where owner_id = $ownerId::uuid and api_id = $apiId::text`,
  (ownerId, apiId, settings) => ({ ...settings, ownerId, apiId }),
);

export const setOwnedApiScopes = execute<[ownerId: string, apiId: string, scopes: readonly ApiScope[]]>(
  'set_own_api_scopes',
  'update apis set scopes = $3::jsonb where owner_id = $1::uuid and api_id = $2::text',
  (ownerId, apiId, scopes) => [ownerId, apiId, JSON.stringify(scopes)],
);

export const setOwnedApiKeys = execute<
  [ownerId: string, apiId: string, jwks: JSONWebKeySet | null, now: Date]
>(
  'set_own_api_keys',
  `with added as (${recordAddedEntriesSql({
    holder: '$2',
    before: selectKeyEntriesSql('a.jwks', 'from apis a where a.api_id = $2::text'),
    after: selectKeyEntriesSql('$3::jsonb'),
    now: '$4',
  })})
  update apis set jwks = $3::jsonb where owner_id = $1::uuid and api_id = $2::text`,
  (ownerId, apiId, jwks, now) => [ownerId, apiId, jwks && JSON.stringify(jwks), now],
);

export type VisibleApi = OwnedApi & { own: boolean };

const { isVisible, own } = visibilitySql('a');

export const findVisibleApi = findOne<VisibleApi, [userId: string, apiId: string]>(
  'find_visible_api',
  `select ${COLUMNS}, ${own} from apis a where ${isVisible} and a.api_id = $2::text`,
);
