// Reads and changes clients for their owners. Statements with an `ownerId` check ownership.
import type { JSONWebKeySet } from 'jose';
import type { ClientType } from '../oauth/redirect-uri.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { recordAddedEntriesSql, selectKeyEntriesSql, selectUriEntriesSql } from './added-entries.ts';
import { visibilitySql } from './owned-resources.ts';
import { count, execute, findAll, findHot, findOne, hasRows } from './query.ts';

export interface ClientBranding {
  logo: string | null;
  homePage: string | null;
  privacyPolicy: string | null;
  termsOfService: string | null;
}

export interface ClientSettings extends Omit<ClientBranding, 'logo'> {
  name: string;
  redirectUris: string[];
  scopes: string[];
  standard: boolean;
  refreshGrace: number;
}

export interface ProtocolSettings {
  idTokenAlgorithm: SigningAlgorithm;
  /** Whether ID tokens contain the claims of the granted scopes. Null means the value of `standard`. */
  idTokenClaims: boolean | null;
  parRequired: boolean;
  /** Whether a confidential client must use PKCE. Public clients always must. */
  pkceRequired: boolean;
  mfaRequired: boolean;
  postLogoutRedirectUris: string[];
  backchannelLogoutUri: string | null;
  jwks: JSONWebKeySet | null;
  deviceFlow: boolean;
}

const PROTOCOL_COLUMNS = {
  idTokenAlgorithm: 'id_token_algorithm',
  idTokenClaims: 'id_token_claims',
  parRequired: 'par_required',
  pkceRequired: 'pkce_required',
  mfaRequired: 'mfa_required',
  postLogoutRedirectUris: 'post_logout_redirect_uris',
  backchannelLogoutUri: 'backchannel_logout_uri',
  jwks: 'jwks',
  deviceFlow: 'device_flow',
} satisfies Record<keyof ProtocolSettings, string>;

export const isProtocolSetting = (name: string): boolean => Object.hasOwn(PROTOCOL_COLUMNS, name);

export interface OwnedClient extends ClientSettings, ProtocolSettings, ClientBranding {
  clientId: string;
  type: ClientType;
  verified: boolean;
  suspended: boolean;
  createdAt: Date;
}

export const OWNED_CLIENT_COLUMNS = `c.client_id as "clientId", c.name, c.type, c.redirect_uris as "redirectUris", c.scopes, c.standard,
    c.refresh_grace as "refreshGrace", c.logo,
    c.home_page as "homePage", c.privacy_policy as "privacyPolicy",
    c.terms_of_service as "termsOfService", c.verified_at is not null as verified,
    c.suspended_at is not null as suspended, c.created_at as "createdAt",
    ${Object.entries(PROTOCOL_COLUMNS)
      .map(([field, column]) => `c.${column} as "${field}"`)
      .join(', ')}`;

export const listOwnedClients = findAll<OwnedClient, [ownerId: string]>(
  'list_own_clients',
  `select ${OWNED_CLIENT_COLUMNS} from clients c where c.owner_id = $1::uuid order by c.created_at desc, c.client_id`,
);

const FIND_OWNED_CLIENT_SQL = `select ${OWNED_CLIENT_COLUMNS} from clients c where c.owner_id = $1::uuid and c.client_id = $2::text`;

export const findOwnedClient = findOne<OwnedClient, [ownerId: string, clientId: string]>(
  'find_own_client',
  FIND_OWNED_CLIENT_SQL,
);

export const lockOwnedClient = findOne<OwnedClient, [ownerId: string, clientId: string]>(
  'lock_own_client',
  `${FIND_OWNED_CLIENT_SQL} for no key update of c`,
);

const FROM_CLIENT_SQL = 'from clients c where c.client_id = $clientId::text';
// A new name or redirect URI ends the client's verification.
export const updateOwnedClient = execute<
  [ownerId: string, clientId: string, settings: ClientSettings, now: Date]
>(
  'update_own_client',
  `with added as (${recordAddedEntriesSql({
    holder: '$clientId',
    before: selectUriEntriesSql('c.redirect_uris', FROM_CLIENT_SQL),
    after: selectUriEntriesSql('$redirectUris::text[]'),
    now: '$now',
  })})
  update clients set name = $name::text, redirect_uris = $redirectUris::text[], scopes = $scopes::text[],
    standard = $standard::boolean, refresh_grace = $refreshGrace::int, home_page = $homePage::text,
    privacy_policy = $privacyPolicy::text, terms_of_service = $termsOfService::text,
    verified_at = case when name = $name::text and redirect_uris = $redirectUris::text[] then verified_at end
  where owner_id = $ownerId::uuid and client_id = $clientId::text`,
  (ownerId, clientId, settings, now) => ({ ...settings, ownerId, clientId, now }),
);

export const updateProtocolSettings = hasRows<
  [ownerId: string, clientId: string, settings: ProtocolSettings, now: Date]
>(
  'update_protocol_settings',
  `with added as (${recordAddedEntriesSql({
    holder: '$clientId',
    before: `(${selectUriEntriesSql('c.post_logout_redirect_uris || c.backchannel_logout_uri', FROM_CLIENT_SQL)} union all ${selectKeyEntriesSql('c.jwks', FROM_CLIENT_SQL)})`,
    after: `(${selectUriEntriesSql('array_remove($postLogoutRedirectUris::text[] || $backchannelLogoutUri::text, null)')} union all ${selectKeyEntriesSql('$keys::jsonb')})`,
    now: '$now',
  })})
  update clients set id_token_algorithm = $idTokenAlgorithm::text, par_required = $parRequired::boolean,
    post_logout_redirect_uris = $postLogoutRedirectUris::text[], backchannel_logout_uri = $backchannelLogoutUri::text,
    jwks = case type when 'confidential' then $keys::jsonb end, device_flow = $deviceFlow::boolean,
    id_token_claims = $idTokenClaims::boolean, pkce_required = type = 'confidential' and $pkceRequired::boolean,
    mfa_required = $mfaRequired::boolean
  where owner_id = $ownerId::uuid and client_id = $clientId::text returning client_id`,
  (ownerId, clientId, settings, now) => {
    const keys = settings.jwks && JSON.stringify(settings.jwks);
    return { ...settings, keys, ownerId, clientId, now };
  },
);

export type VisibleClient = OwnedClient & { own: boolean };

const { isVisible, own } = visibilitySql('c');

export const findVisibleClient = findOne<VisibleClient, [userId: string, clientId: string]>(
  'find_visible_client',
  `select ${OWNED_CLIENT_COLUMNS}, ${own} from clients c where ${isVisible} and c.client_id = $2::text`,
);

export const setOwnedClientLogo = hasRows<[ownerId: string, clientId: string, logo: string | null]>(
  'set_own_client_logo',
  `update clients set logo = $3::text,
    verified_at = case when logo is not distinct from $3::text then verified_at end
  where owner_id = $1::uuid and client_id = $2::text returning client_id`,
);

export const countUsersOfClient = count<[clientId: string]>(
  'count_users_of_client',
  `select count(*)::int as number from consents k where k.client_id = $1::text and k.withdrawn_at is null`,
);

export const findClientBranding = findHot<ClientBranding & { verified: boolean }, [clientId: string]>(
  'find_client_branding',
  `select c.logo, c.home_page as "homePage", c.privacy_policy as "privacyPolicy",
    c.terms_of_service as "termsOfService", c.verified_at is not null as verified
  from clients c where c.client_id = $1::text`,
);
