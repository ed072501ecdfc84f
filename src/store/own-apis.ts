// APIs as their owners see them. Every statement names the owner: what is somebody else's is not there.
import type { JSONWebKeySet } from 'jose';
import type { Admission, ApiScope } from '../oauth/api.ts';
import { keysOf, recordingAdded } from './added-entries.ts';
import { visibleTo } from './owned.ts';
import { execute, findAll, findOne } from './query.ts';

export interface ApiSettings {
  name: string;
  wordsFr: string;
  wordsEn: string;
  admits: Admission;
  tokenLifetime: number;
}

export interface OwnApi extends ApiSettings {
  apiId: string;
  identifier: string;
  /** In their owner's order. */
  scopes: ApiScope[];
  jwks: JSONWebKeySet | null;
  suspended: boolean;
  createdAt: Date;
}

const COLUMNS = `a.api_id as "apiId", a.identifier, a.name, a.words_fr as "wordsFr", a.words_en as "wordsEn", a.scopes, a.jwks,
    a.admits, a.token_lifetime as "tokenLifetime", a.suspended_at is not null as suspended,
    a.created_at as "createdAt"`;

export const listOwnApis = findAll<OwnApi, [ownerId: string]>(
  'list_own_apis',
  `select ${COLUMNS} from apis a where a.owner_id = $1::uuid order by a.created_at desc, a.api_id`,
);

const FIND = `select ${COLUMNS} from apis a where a.owner_id = $1::uuid and a.api_id = $2::text`;

export const findOwnApi = findOne<OwnApi, [ownerId: string, apiId: string]>('find_own_api', FIND);

/** The same, held against other changes until the transaction ends. */
export const lockOwnApi = findOne<OwnApi, [ownerId: string, apiId: string]>(
  'lock_own_api',
  `${FIND} for no key update of a`,
);

/** Gives an API other settings, which count from the next request on. */
export const changeOwnApi = execute<[ownerId: string, apiId: string, settings: ApiSettings]>(
  'change_own_api',
  `update apis set name = $name::text, words_fr = $wordsFr::text, words_en = $wordsEn::text, admits = $admits::text,
    token_lifetime = $tokenLifetime::int
  where owner_id = $ownerId::uuid and api_id = $apiId::text`,
  (ownerId, apiId, settings) => ({ ...settings, ownerId, apiId }),
);

/** Gives an API other scopes: what was agreed to of one that is gone ends with the next renewal, and where an API asks. */
export const setOwnScopes = execute<[ownerId: string, apiId: string, scopes: readonly ApiScope[]]>(
  'set_scopes_of_own_api',
  'update apis set scopes = $3::jsonb where owner_id = $1::uuid and api_id = $2::text',
  (ownerId, apiId, scopes) => [ownerId, apiId, JSON.stringify(scopes)],
);

export const setOwnKeys = execute<[ownerId: string, apiId: string, jwks: JSONWebKeySet | null, now: Date]>(
  'set_keys_of_own_api',
  `with added as (${recordingAdded({
    holder: '$2',
    before: keysOf('a.jwks', 'from apis a where a.api_id = $2::text'),
    after: keysOf('$3::jsonb'),
    now: '$4',
  })})
  update apis set jwks = $3::jsonb where owner_id = $1::uuid and api_id = $2::text`,
  (ownerId, apiId, jwks, now) => [ownerId, apiId, jwks && JSON.stringify(jwks), now],
);

/** An API as its owner and administrators see it. */
export type WatchedApi = OwnApi & { own: boolean };

const { isVisible, own } = visibleTo('a');

export const findWatchedApi = findOne<WatchedApi, [userId: string, apiId: string]>(
  'find_watched_api',
  `select ${COLUMNS}, ${own} from apis a where ${isVisible} and a.api_id = $2::text`,
);
