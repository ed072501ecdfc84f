// What an application wants of the protocol beyond the contract. Every statement names the owner.
import type { JSONWebKeySet } from 'jose';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

export interface ProtocolSettings {
  idTokenAlgorithm: SigningAlgorithm;
  /** Whether its id_tokens carry the claims of the granted scopes (D57); null: as the mode says, standard mode yes. */
  idTokenClaims: boolean | null;
  /** Authorization requests have to be pushed (RFC 9126 §6). */
  parRequired: boolean;
  /** Its requests have to use PKCE; of a public application all have to (D5). */
  pkceRequired: boolean;
  /** Only people who have shown a second factor may sign in (D42). */
  secondFactorRequired: boolean;
  postLogoutRedirectUris: string[];
  backchannelLogoutUri: string | null;
  /** Resource servers that its access tokens may be for (RFC 8707). */
  resources: string[];
  /** Scopes that it may ask for on its own account (RFC 6749 §4.4). */
  serviceScopes: string[];
  /** Public keys with which it may authenticate (RFC 7523). */
  jwks: JSONWebKeySet | null;
  deviceFlow: boolean;
}

const FIND = statement(
  'find_own_protocol_settings',
  `select c.id_token_algorithm as "idTokenAlgorithm", c.id_token_claims as "idTokenClaims",
    c.par_required as "parRequired", c.pkce_required as "pkceRequired",
    c.second_factor_required as "secondFactorRequired",
    c.post_logout_redirect_uris as "postLogoutRedirectUris", c.backchannel_logout_uri as "backchannelLogoutUri",
    c.resources, c.service_scopes as "serviceScopes", c.jwks, c.device_flow as "deviceFlow"
  from clients c where c.owner_id = $1::uuid and c.client_id = $2::text`,
);

/** The settings of one application of an account; undefined when it is not theirs, or not there. */
export async function findProtocolSettings(
  database: Queryable,
  ownerId: string,
  clientId: string,
): Promise<ProtocolSettings | undefined> {
  const [row] = await database.query<ProtocolSettings>(FIND, [ownerId, clientId]);
  return row;
}

/** Any constant will do; it names this work among the database's advisory locks. */
const RESOURCES_LOCK = 0x5e5a4c;
const LOCK_RESOURCES = statement('lock_resources', 'select pg_advisory_xact_lock($1::int)');

const FIND_TAKEN = statement(
  'find_taken_resource',
  `select wanted.resource from unnest($3::text[]) as wanted (resource)
  where not exists (select from clients c where c.client_id = $2::text and wanted.resource = any (c.resources))
    and exists (
      select from clients other, unnest(other.resources) as registered (resource)
      where other.owner_id <> $1::uuid
        and lower(rtrim(registered.resource, '/')) = lower(rtrim(wanted.resource, '/')))
  limit 1`,
);

/**
 * The first of these resources that an application of another account has registered before, unless this application
 * has it already: a token for somebody else's resource server would open it. Holds until the transaction ends, and comes
 * after the lock of the application itself: in the other order two changes could wait for each other.
 */
export async function findTakenResource(
  transaction: Queryable,
  ownerId: string,
  clientId: string,
  resources: readonly string[],
): Promise<string | undefined> {
  if (resources.length === 0) return undefined;
  await transaction.query(LOCK_RESOURCES, [RESOURCES_LOCK]);
  const [row] = await transaction.query<{ resource: string }>(FIND_TAKEN, [ownerId, clientId, resources]);
  return row?.resource;
}

const CHANGE = statement(
  'change_own_protocol_settings',
  `update clients set id_token_algorithm = $3::text, par_required = $4::boolean,
    post_logout_redirect_uris = $5::text[], backchannel_logout_uri = $6::text, resources = $7::text[],
    service_scopes = case type when 'confidential' then $8::text[] else '{}' end,
    jwks = case type when 'confidential' then $9::jsonb end, device_flow = $10::boolean,
    id_token_claims = $11::boolean, pkce_required = type = 'confidential' and $12::boolean,
    second_factor_required = $13::boolean
  where owner_id = $1::uuid and client_id = $2::text returning client_id`,
);

/** Gives an application other settings, which count from the next request on. False when it is not theirs. */
export async function changeProtocolSettings(
  database: Queryable,
  ownerId: string,
  clientId: string,
  settings: ProtocolSettings,
): Promise<boolean> {
  const rows = await database.query(CHANGE, [
    ownerId,
    clientId,
    settings.idTokenAlgorithm,
    settings.parRequired,
    settings.postLogoutRedirectUris,
    settings.backchannelLogoutUri,
    settings.resources,
    settings.serviceScopes,
    settings.jwks === null ? null : JSON.stringify(settings.jwks),
    settings.deviceFlow,
    settings.idTokenClaims,
    settings.pkceRequired,
    settings.secondFactorRequired,
  ]);
  return rows.length === 1;
}
