// Client applications as their owners see them. Every statement names the owner: what is somebody else's is not there.
import type { JSONWebKeySet } from 'jose';
import type { ClientType } from '../oauth/redirect-uri.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { keysOf, recordingAdded, urisOf } from './added-entries.ts';
import { visibleTo } from './owned.ts';
import { affects, count, execute, findAll, findHot, findOne } from './query.ts';

export interface Presentation {
  logo: string | null;
  homePage: string | null;
  privacyPolicy: string | null;
  termsOfService: string | null;
}

export interface ApplicationSettings extends Omit<Presentation, 'logo'> {
  name: string;
  redirectUris: string[];
  scopes: string[];
  standard: boolean;
  refreshGrace: number;
}

export interface ProtocolSettings {
  idTokenAlgorithm: SigningAlgorithm;
  /** Whether its id_tokens carry the claims of the granted scopes; null: as the mode says, standard mode yes. */
  idTokenClaims: boolean | null;
  parRequired: boolean;
  /** Its requests have to use PKCE; of a public application all have to. */
  pkceRequired: boolean;
  /** Only people who have shown a second factor may sign in. */
  secondFactorRequired: boolean;
  postLogoutRedirectUris: string[];
  backchannelLogoutUri: string | null;
  jwks: JSONWebKeySet | null;
  deviceFlow: boolean;
}

const PROTOCOL = {
  idTokenAlgorithm: 'id_token_algorithm',
  idTokenClaims: 'id_token_claims',
  parRequired: 'par_required',
  pkceRequired: 'pkce_required',
  secondFactorRequired: 'second_factor_required',
  postLogoutRedirectUris: 'post_logout_redirect_uris',
  backchannelLogoutUri: 'backchannel_logout_uri',
  jwks: 'jwks',
  deviceFlow: 'device_flow',
} satisfies Record<keyof ProtocolSettings, string>;

export const isProtocolSetting = (name: string): boolean => Object.hasOwn(PROTOCOL, name);

export interface OwnApplication extends ApplicationSettings, ProtocolSettings, Presentation {
  clientId: string;
  type: ClientType;
  verified: boolean;
  suspended: boolean;
  createdAt: Date;
}

const COLUMNS = `c.client_id as "clientId", c.name, c.type, c.redirect_uris as "redirectUris", c.scopes, c.standard,
    c.refresh_grace as "refreshGrace", c.logo,
    c.home_page as "homePage", c.privacy_policy as "privacyPolicy",
    c.terms_of_service as "termsOfService", c.verified_at is not null as verified,
    c.suspended_at is not null as suspended, c.created_at as "createdAt",
    ${Object.entries(PROTOCOL)
      .map(([field, column]) => `c.${column} as "${field}"`)
      .join(', ')}`;

export const listOwnApplications = findAll<OwnApplication, [ownerId: string]>(
  'list_own_applications',
  `select ${COLUMNS} from clients c where c.owner_id = $1::uuid order by c.created_at desc, c.client_id`,
);

const FIND = `select ${COLUMNS} from clients c where c.owner_id = $1::uuid and c.client_id = $2::text`;

/** One application of an account; undefined when it is not theirs, or not there. */
export const findOwnApplication = findOne<OwnApplication, [ownerId: string, clientId: string]>(
  'find_own_application',
  FIND,
);

/** The same, held against other changes until the transaction ends. */
export const lockOwnApplication = findOne<OwnApplication, [ownerId: string, clientId: string]>(
  'lock_own_application',
  `${FIND} for no key update of c`,
);

const CURRENT = 'from clients c where c.client_id = $clientId::text';
// What an operator verified is a name, a logo and where it leads: with another one it has to be verified anew.
/** Gives an application other settings, which count from the next request on. */
export const changeOwnApplication = execute<
  [ownerId: string, clientId: string, settings: ApplicationSettings, now: Date]
>(
  'change_own_application',
  `with added as (${recordingAdded({
    holder: '$clientId',
    before: urisOf('c.redirect_uris', CURRENT),
    after: urisOf('$redirectUris::text[]'),
    now: '$now',
  })})
  update clients set name = $name::text, redirect_uris = $redirectUris::text[], scopes = $scopes::text[],
    standard = $standard::boolean, refresh_grace = $refreshGrace::int, home_page = $homePage::text,
    privacy_policy = $privacyPolicy::text, terms_of_service = $termsOfService::text,
    verified_at = case when name = $name::text and redirect_uris = $redirectUris::text[] then verified_at end
  where owner_id = $ownerId::uuid and client_id = $clientId::text`,
  (ownerId, clientId, settings, now) => ({ ...settings, ownerId, clientId, now }),
);

/** Changes what an application uses of the protocol, from the next request on. Returns false if it isn't the owner's. */
export const changeProtocolSettings = affects<
  [ownerId: string, clientId: string, settings: ProtocolSettings, now: Date]
>(
  'change_own_protocol_settings',
  `with added as (${recordingAdded({
    holder: '$clientId',
    before: `(${urisOf('c.post_logout_redirect_uris || c.backchannel_logout_uri', CURRENT)} union all ${keysOf('c.jwks', CURRENT)})`,
    after: `(${urisOf('array_remove($postLogoutRedirectUris::text[] || $backchannelLogoutUri::text, null)')} union all ${keysOf('$keys::jsonb')})`,
    now: '$now',
  })})
  update clients set id_token_algorithm = $idTokenAlgorithm::text, par_required = $parRequired::boolean,
    post_logout_redirect_uris = $postLogoutRedirectUris::text[], backchannel_logout_uri = $backchannelLogoutUri::text,
    jwks = case type when 'confidential' then $keys::jsonb end, device_flow = $deviceFlow::boolean,
    id_token_claims = $idTokenClaims::boolean, pkce_required = type = 'confidential' and $pkceRequired::boolean,
    second_factor_required = $secondFactorRequired::boolean
  where owner_id = $ownerId::uuid and client_id = $clientId::text returning client_id`,
  (ownerId, clientId, settings, now) => {
    const keys = settings.jwks && JSON.stringify(settings.jwks);
    return { ...settings, keys, ownerId, clientId, now };
  },
);

/** A client as its owner and administrators see it. */
export type WatchedApplication = OwnApplication & { own: boolean };

const { isVisible, own } = visibleTo('c');

export const findWatchedApplication = findOne<WatchedApplication, [userId: string, clientId: string]>(
  'find_watched_application',
  `select ${COLUMNS}, ${own} from clients c where ${isVisible} and c.client_id = $2::text`,
);

/** Gives an application a logo, or takes it away. False when the application is not theirs, or not there. */
export const setOwnLogo = affects<[ownerId: string, clientId: string, logo: string | null]>(
  'set_own_logo',
  `update clients set logo = $3::text,
    verified_at = case when logo is not distinct from $3::text then verified_at end
  where owner_id = $1::uuid and client_id = $2::text returning client_id`,
);

export const countPeople = count<[clientId: string]>(
  'count_people_of_client',
  `select count(*)::int as number from consents k where k.client_id = $1::text and k.withdrawn_at is null`,
);

/** What any application shows of itself where it asks for consent; undefined when it is gone. */
export const findPresentation = findHot<Presentation & { verified: boolean }, [clientId: string]>(
  'find_presentation',
  `select c.logo, c.home_page as "homePage", c.privacy_policy as "privacyPolicy",
    c.terms_of_service as "termsOfService", c.verified_at is not null as verified
  from clients c where c.client_id = $1::text`,
);
