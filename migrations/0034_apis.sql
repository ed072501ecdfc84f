-- Up Migration

-- APIs that account holders own (RFC 8707, RFC 9728): what access tokens may be for beside this service itself.
create table apis (
  api_id text primary key,
  owner_id uuid not null references users (id) on delete cascade,
  identifier text not null,
  -- The identifier without a slash right after the origin: with it or without, it is the same one.
  identifier_key text not null unique,
  name text not null,
  words_fr text not null,
  words_en text not null,
  -- [{"name", "fr", "en", "sensitive", "agents"}], in its owner's order.
  scopes jsonb not null default '[]',
  -- Seconds that an access token for it lives.
  token_lifetime integer not null check (token_lifetime between 60 and 86400),
  -- Who may ask: the owner's own applications; all registered ones, too; agents, too.
  admits text not null check (admits in ('own', 'applications', 'agents')),
  -- Public keys with which it may authenticate at introspection, as a JWK Set.
  jwks jsonb,
  -- How many secrets it was ever given: each has a number that is not given again.
  secrets_given integer not null default 0,
  suspended_at timestamptz,
  created_at timestamptz not null
);
create index apis_owner_id on apis (owner_id);

create table api_secrets (
  api_id text not null references apis (api_id) on delete cascade,
  secret_hash bytea not null,
  number integer not null,
  ending text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  primary key (api_id, secret_hash)
);

-- Assertions by which APIs have authenticated, until they have expired: none counts twice (RFC 7523 §3).
create table api_assertions (
  api_id text not null references apis (api_id) on delete cascade,
  jti_hash bytea not null,
  expires_at timestamptz not null,
  primary key (api_id, jti_hash)
);
create index api_assertions_expires_at on api_assertions (expires_at);

-- Applications and agents whose access the owner of an API has cut off.
create table api_exclusions (
  api_id text not null references apis (api_id) on delete cascade,
  client_id text not null references clients (client_id) on delete cascade,
  excluded_at timestamptz not null,
  primary key (api_id, client_id)
);
create index api_exclusions_client_id on api_exclusions (client_id);

-- What an application asks for of an API on its own account (RFC 6749 §4.4): in force once the API's owner has granted it.
create table api_service_access (
  api_id text not null references apis (api_id) on delete cascade,
  client_id text not null references clients (client_id) on delete cascade,
  scopes text[] not null,
  asked_at timestamptz not null,
  granted_at timestamptz,
  primary key (api_id, client_id)
);
create index api_service_access_client_id on api_service_access (client_id);

-- Which API an access token is for; null: this service itself.
alter table access_tokens add column api_id text;
alter table service_tokens add column api_id text references apis (api_id) on delete cascade;
create index service_tokens_api_id on service_tokens (api_id);

-- The APIs that a grant is for beside this service. Most are for none, and pay nothing for the index.
alter table grants add column apis text[];
create index grants_apis on grants using gin (apis) where apis is not null;

-- Agents (Client ID Metadata Documents, RFC 7591) are applications that nobody owns.
alter table clients alter column owner_id drop not null;

-- Down Migration
