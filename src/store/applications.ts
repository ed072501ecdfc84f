// Client applications as their owners see them. Every statement names the owner: what is somebody else's is not there.
import type { ClientType } from '../oauth/redirect-uri.ts';
import { recordingAdded, urisOf } from './added-entries.ts';
import { affects, count, execute, findAll, findHot, findOne } from './query.ts';

export interface Presentation {
  /** The hash of its logo. */
  logo: string | null;
  homePage: string | null;
  privacyPolicy: string | null;
  termsOfService: string | null;
}

/** What its owner can change at any time. */
export interface ApplicationSettings extends Omit<Presentation, 'logo'> {
  name: string;
  redirectUris: string[];
  scopes: string[];
  standard: boolean;
  refreshGrace: number;
}

export interface OwnApplication extends ApplicationSettings, Presentation {
  clientId: string;
  /** Whether its id_tokens carry the claims of the granted scopes, as it stands. */
  claimsInIdToken: boolean;
  type: ClientType;
  verified: boolean;
  suspended: boolean;
  createdAt: Date;
}

const COLUMNS = `c.client_id as "clientId", c.name, c.type, c.redirect_uris as "redirectUris", c.scopes, c.standard,
    coalesce(c.id_token_claims, c.standard) as "claimsInIdToken", c.refresh_grace as "refreshGrace", c.logo,
    c.home_page as "homePage", c.privacy_policy as "privacyPolicy",
    c.terms_of_service as "termsOfService", c.verified_at is not null as verified,
    c.suspended_at is not null as suspended, c.created_at as "createdAt"`;

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

// What an operator verified is a name, a logo and where it leads: with another one it has to be verified anew.
/** Gives an application other settings, which count from the next request on. */
export const changeOwnApplication = execute<
  [ownerId: string, clientId: string, settings: ApplicationSettings, now: Date]
>(
  'change_own_application',
  `with added as (${recordingAdded({
    holder: '$2',
    before: urisOf('c.redirect_uris', 'from clients c where c.client_id = $2::text'),
    after: urisOf('$4::text[]'),
    now: '$11',
  })})
  update clients set name = $3::text, redirect_uris = $4::text[], scopes = $5::text[], standard = $6::boolean,
    refresh_grace = $7::int, home_page = $8::text, privacy_policy = $9::text, terms_of_service = $10::text,
    verified_at = case when name = $3::text and redirect_uris = $4::text[] then verified_at end
  where owner_id = $1::uuid and client_id = $2::text`,
  (ownerId, clientId, settings, now) => [
    ownerId,
    clientId,
    settings.name,
    settings.redirectUris,
    settings.scopes,
    settings.standard,
    settings.refreshGrace,
    settings.homePage,
    settings.privacyPolicy,
    settings.termsOfService,
    now,
  ],
);

/** Gives an application a logo, or takes it away. False when the application is not theirs, or not there. */
export const setOwnLogo = affects<[ownerId: string, clientId: string, logo: string | null]>(
  'set_own_logo',
  `update clients set logo = $3::text,
    verified_at = case when logo is not distinct from $3::text then verified_at end
  where owner_id = $1::uuid and client_id = $2::text returning client_id`,
);

/** How many people let an application know who they are. */
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
