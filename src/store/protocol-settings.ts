// What an application wants of the protocol beyond the contract. Every statement names the owner.
import type { JSONWebKeySet } from 'jose';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { keysOf, recordingAdded, urisOf } from './added-entries.ts';
import { affects, findOne } from './query.ts';

export interface ProtocolSettings {
  idTokenAlgorithm: SigningAlgorithm;
  /** Whether its id_tokens carry the claims of the granted scopes; null: as the mode says, standard mode yes. */
  idTokenClaims: boolean | null;
  /** Authorization requests have to be pushed (RFC 9126 §6). */
  parRequired: boolean;
  /** Its requests have to use PKCE; of a public application all have to. */
  pkceRequired: boolean;
  /** Only people who have shown a second factor may sign in. */
  secondFactorRequired: boolean;
  postLogoutRedirectUris: string[];
  backchannelLogoutUri: string | null;
  /** Public keys with which it may authenticate (RFC 7523). */
  jwks: JSONWebKeySet | null;
  deviceFlow: boolean;
}

/** The settings of one application of an account; undefined when it is not theirs, or not there. */
export const findProtocolSettings = findOne<ProtocolSettings, [ownerId: string, clientId: string]>(
  'find_own_protocol_settings',
  `select c.id_token_algorithm as "idTokenAlgorithm", c.id_token_claims as "idTokenClaims",
    c.par_required as "parRequired", c.pkce_required as "pkceRequired",
    c.second_factor_required as "secondFactorRequired",
    c.post_logout_redirect_uris as "postLogoutRedirectUris", c.backchannel_logout_uri as "backchannelLogoutUri",
    c.jwks, c.device_flow as "deviceFlow"
  from clients c where c.owner_id = $1::uuid and c.client_id = $2::text`,
);

const OWN = 'from clients c where c.client_id = $2::text';
/** Gives an application other settings, which count from the next request on. False when it is not theirs. */
export const changeProtocolSettings = affects<
  [ownerId: string, clientId: string, settings: ProtocolSettings, now: Date]
>(
  'change_own_protocol_settings',
  `with added as (${recordingAdded({
    holder: '$2',
    before: `(${urisOf('c.post_logout_redirect_uris', OWN)} union all ${keysOf('c.jwks', OWN)})`,
    after: `(${urisOf('$5::text[]')} union all ${keysOf('$7::jsonb')})`,
    now: '$12',
  })})
  update clients set id_token_algorithm = $3::text, par_required = $4::boolean,
    post_logout_redirect_uris = $5::text[], backchannel_logout_uri = $6::text,
    jwks = case type when 'confidential' then $7::jsonb end, device_flow = $8::boolean,
    id_token_claims = $9::boolean, pkce_required = type = 'confidential' and $10::boolean,
    second_factor_required = $11::boolean
  where owner_id = $1::uuid and client_id = $2::text returning client_id`,
  (ownerId, clientId, settings, now) => [
    ownerId,
    clientId,
    settings.idTokenAlgorithm,
    settings.parRequired,
    settings.postLogoutRedirectUris,
    settings.backchannelLogoutUri,
    settings.jwks === null ? null : JSON.stringify(settings.jwks),
    settings.deviceFlow,
    settings.idTokenClaims,
    settings.pkceRequired,
    settings.secondFactorRequired,
    now,
  ],
);
