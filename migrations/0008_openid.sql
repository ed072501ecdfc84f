-- Up Migration

-- Several keys of an algorithm: the next one is published before it signs, those before it until nothing they signed counts.
alter table signing_keys drop constraint signing_keys_algorithm_key;
alter table signing_keys add column signs_from timestamptz;
update signing_keys set signs_from = created_at;
alter table signing_keys alter column signs_from set not null;

-- What an application wants of the protocol beyond the contract; all of it is off unless its owner asks for it.
alter table clients
  add column id_token_algorithm text not null default 'RS256' check (id_token_algorithm in ('RS256', 'ES256', 'EdDSA')),
  -- Authorization requests have to be pushed (RFC 9126 §6).
  add column par_required boolean not null default false,
  -- Resource servers that its access tokens may be for (RFC 8707).
  add column resources text[] not null default '{}',
  -- Public keys with which it may authenticate instead of a secret (RFC 7523), as a JWK Set.
  add column jwks jsonb,
  -- Scopes that it may ask for on its own account (RFC 6749 §4.4); none: the grant is off.
  add column service_scopes text[] not null default '{}',
  -- Whether devices without a browser may ask (RFC 8628).
  add column device_flow boolean not null default false,
  add column post_logout_redirect_uris text[] not null default '{}',
  add column backchannel_logout_uri text;

-- All that began in a session, to end it with the session.
create index grants_sid on grants (sid);

-- Down Migration
