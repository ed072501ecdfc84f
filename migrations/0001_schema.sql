-- The database schema.
-- The service passes the current time as a parameter, so no column defaults to `now()`.
-- Codes, tokens, secrets and session ids are hashed, or sealed (encrypted) with SECRET_KEY.

-- Account pictures and client logos. `hash` is a hash of the owner's id and the image.
create table pictures (
  hash text primary key,
  content bytea not null,
  type text not null
);

-- Makes email addresses unique. On Citus, `users` is distributed by id and can't have this constraint.
create table emails (
  email_key text primary key,
  user_id uuid not null
);

-- Accounts. `id` is the `sub` claim.
create table users (
  id uuid primary key,
  email text not null,
  email_key text not null,
  name text not null,
  phone text,
  email_verified boolean not null,
  -- An Argon2id hash, or an imported hash with the prefix {imported}. Null if the account has no password.
  password_hash text,
  is_admin boolean not null,
  -- A grant stores the sum of its account's, client's and consent's epochs. Incrementing one of them revokes the grant.
  epoch integer not null default 0,
  suspended_at timestamptz,
  profile_updated_at timestamptz not null,
  created_at timestamptz not null,
  locale text check (locale in ('fr', 'en')),
  picture_hash text,
  -- Incrementing this number invalidates known browsers and remembered devices.
  browser_epoch integer not null default 0,
  password_set_at timestamptz,
  invited_at timestamptz,
  imported_at timestamptz,
  totp_secret text,
  -- Time step of the last accepted TOTP code. Each code is accepted once (RFC 6238 §5.2).
  totp_step bigint,
  totp_enabled_at timestamptz,
  -- Number of passkeys, stored here so that the maximum can be enforced by locking only this row.
  passkey_count integer not null default 0 check (passkey_count >= 0),
  -- When the user is next asked to create a passkey. `infinity` means never.
  passkey_offer_at timestamptz,
  constraint users_totp_check check ((totp_secret is null) = (totp_enabled_at is null))
);
create index users_created_at on users (created_at, id);
create index users_email_pattern on users (email_key text_pattern_ops);
create index users_name_pattern on users (lower(name) text_pattern_ops);
create index users_is_admin on users (id) where is_admin;
create index users_suspended on users (id) where suspended_at is not null;
create index users_imported_password on users (substring(password_hash from '^\{imported\}([$][^$]+(?:[$]v=[0-9]+)?[$][^$]+)'))
  where password_hash like '{imported}%';

create table passkeys (
  user_id uuid not null references users (id) on delete cascade,
  credential_id bytea not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  synced boolean not null,
  backed_up boolean not null,
  aaguid uuid not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (user_id, credential_id)
);

create table identity_providers (
  provider_id text primary key,
  preset text not null,
  name text not null,
  issuer text not null unique,
  client_id text not null,
  -- The client secret (for Apple, the private key), sealed with SECRET_KEY.
  sealed_secret text not null,
  options jsonb not null,
  -- Email addresses in other domains count as unverified.
  trusted_email_domains text[] not null,
  position integer not null,
  disabled_at timestamptz,
  created_at timestamptz not null
);

create table external_identities (
  user_id uuid not null references users (id) on delete cascade,
  issuer text not null,
  subject text not null,
  -- The provider of the last sign-in. For an imported identity, this is the issuer until the provider is added.
  provider_id text not null,
  -- Email address or name at the provider, for display only.
  label text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (user_id, issuer, subject)
);
create index external_identities_provider_id on external_identities (provider_id, user_id);

-- Links each identity to at most one account. `identity_key` is a hash of the issuer and subject.
create table external_identity_keys (
  identity_key bytea primary key,
  user_id uuid not null
);

create table recovery_codes (
  user_id uuid not null references users (id) on delete cascade,
  hash bytea not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (user_id, hash)
);

-- Browsers in which sign-in needs no second factor.
create table remembered_devices (
  hash bytea not null,
  id uuid not null,
  user_id uuid not null references users (id) on delete cascade,
  browser_epoch integer not null,
  user_agent text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (user_id, hash)
);
create index remembered_devices_expires_at on remembered_devices (expires_at);

create table mfa_resets (
  user_id uuid primary key references users (id) on delete cascade,
  cancel_hash bytea not null,
  requested_at timestamptz not null,
  due_at timestamptz not null,
  passkeys boolean not null default false
);
create index mfa_resets_due_at on mfa_resets (due_at);

-- Browser sessions. The fill factor leaves room for HOT updates.
create table sessions (
  id_hash bytea not null,
  sid uuid not null,
  user_id uuid not null references users (id) on delete cascade,
  user_epoch integer not null,
  auth_time timestamptz not null,
  expires_at timestamptz not null,
  -- Cleared after RETENTION.
  ip text not null,
  user_agent text not null,
  last_seen_at timestamptz,
  -- Hash of the session's first id. Null until the id changes.
  origin_hash bytea,
  methods text[] not null default '{pwd}',
  -- When the user last presented all factors. Null means `auth_time`.
  all_factors_at timestamptz,
  -- Whether a passkey was used earlier in the session. `methods` covers only the last authentication.
  used_passkey boolean not null default false,
  started_at timestamptz not null,
  primary key (user_id, id_hash)
) with (fillfactor = 80);
create index sessions_expires_at on sessions (expires_at);
create index sessions_with_ip on sessions (auth_time) where ip <> '';
create index sessions_user_id_sid on sessions (user_id, sid);

-- Links and codes sent by email. `code_hash` is a keyed hash.
create table one_time_tokens (
  user_id uuid not null references users (id) on delete cascade,
  hash bytea not null,
  kind text not null,
  email text not null,
  -- The account's epoch at issuance. Null if a new epoch doesn't invalidate the token.
  user_epoch integer,
  code_hash bytea,
  detail jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (user_id, hash)
);
create index one_time_tokens_expires_at on one_time_tokens (expires_at);

-- Used form tokens, passkey challenges and `state` values of provider sign-ins.
-- For anonymous users, `user_id` is the nil UUID. There is no foreign key because a form may delete the account.
create table used_tokens (
  user_id uuid not null,
  key bytea not null,
  expires_at timestamptz not null,
  result jsonb,
  primary key (user_id, key)
);
create index used_tokens_expires_at on used_tokens (expires_at);

create table outbox (
  id uuid not null,
  user_id uuid not null,
  number bigint generated always as identity,
  sealed text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Set to a later time before an email is sent, so that no other process sends the same email.
  next_attempt_at timestamptz not null,
  attempts integer not null default 0,
  primary key (user_id, id)
) with (fillfactor = 70);
create index outbox_next_attempt_at on outbox (next_attempt_at);
create index outbox_expires_at on outbox (expires_at);

-- OAuth clients. Agents are clients without an owner.
-- `owner_id` has no foreign key because `clients` is a reference table on Citus. Deleting an account also deletes its
-- clients.
create table clients (
  client_id text primary key,
  owner_id uuid,
  name text not null,
  type text not null check (type in ('confidential', 'public')),
  redirect_uris text[] not null,
  scopes text[] not null,
  standard boolean not null,
  -- How long a replaced refresh token is still accepted, in seconds.
  refresh_grace integer not null check (refresh_grace between 0 and 60),
  epoch integer not null default 0,
  suspended_at timestamptz,
  created_at timestamptz not null,
  logo text,
  home_page text,
  privacy_policy text,
  terms_of_service text,
  verified_at timestamptz,
  -- Number of the newest secret. Numbers aren't reused.
  secrets_issued integer not null default 0,
  id_token_algorithm text not null default 'RS256' check (id_token_algorithm in ('RS256', 'ES256', 'EdDSA')),
  par_required boolean not null default false,
  jwks jsonb,
  device_flow boolean not null default false,
  post_logout_redirect_uris text[] not null default '{}',
  backchannel_logout_uri text,
  pkce_required boolean not null default false,
  -- Whether ID tokens contain the claims of the granted scopes. Null means the value of `standard`.
  id_token_claims boolean,
  mfa_required boolean not null default false
);
create index clients_owner_id on clients (owner_id);
create index clients_created_at on clients (created_at, client_id);
create index clients_name_pattern on clients (lower(name) text_pattern_ops);
create index clients_suspended on clients (client_id) where suspended_at is not null;

create table client_observations (
  client_id text not null references clients (client_id) on delete cascade,
  signal text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (client_id, signal)
);

create table apis (
  api_id text primary key,
  owner_id uuid not null,
  identifier text not null,
  -- Normalized `identifier`. A path that is only `/` is removed.
  identifier_key text not null unique,
  name text not null,
  description_fr text not null,
  description_en text not null,
  -- A list of {"name", "fr", "en", "sensitive", "agents"} in the owner's order. `fr` or `en` may be empty.
  scopes jsonb not null default '[]',
  -- In seconds.
  token_lifetime integer not null check (token_lifetime between 60 and 86400),
  -- Which clients may use the API: the owner's clients, all clients with an owner, or all clients including agents.
  allowed_clients text not null check (allowed_clients in ('own', 'applications', 'agents')),
  jwks jsonb,
  secrets_issued integer not null default 0,
  suspended_at timestamptz,
  created_at timestamptz not null
);
create index apis_owner_id on apis (owner_id);
create index apis_name_pattern on apis (lower(name) text_pattern_ops);
create index apis_suspended on apis (api_id) where suspended_at is not null;

create table secrets (
  client_id text references clients (client_id) on delete cascade,
  api_id text references apis (api_id) on delete cascade,
  holder text generated always as (coalesce(client_id, api_id)) stored,
  secret_hash bytea not null,
  number integer not null default 1,
  ending text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  primary key (holder, secret_hash),
  check (num_nonnulls(client_id, api_id) = 1)
);
create index secrets_client_id on secrets (client_id);
create index secrets_api_id on secrets (api_id);
create index secrets_secret_hash on secrets (secret_hash);

-- Used client assertions, kept until they expire to prevent replay (RFC 7523 §3).
create table used_assertions (
  holder text not null,
  jti_hash bytea not null,
  expires_at timestamptz not null,
  primary key (holder, jti_hash)
);
create index used_assertions_expires_at on used_assertions (expires_at);

-- Offers to transfer a client or API. The owner never learns whether the recipient has an account.
create table transfer_offers (
  client_id text unique references clients (client_id) on delete cascade,
  api_id text unique references apis (api_id) on delete cascade,
  holder text generated always as (coalesce(client_id, api_id)) stored primary key,
  email text not null,
  email_key text not null,
  recipient_id uuid,
  offered_at timestamptz not null,
  expires_at timestamptz not null,
  -- The owner's epoch at the time of the offer. A new epoch invalidates the offer.
  owner_epoch integer not null,
  check (num_nonnulls(client_id, api_id) = 1)
);
create index transfer_offers_recipient_id on transfer_offers (recipient_id);
create index transfer_offers_expires_at on transfer_offers (expires_at);

-- Clients whose access to an API was revoked.
-- There is no foreign key to `clients` because a deleted agent may be added again with the same client_id.
create table api_exclusions (
  api_id text not null references apis (api_id) on delete cascade,
  client_id text not null,
  excluded_at timestamptz not null,
  lifted_at timestamptz,
  primary key (api_id, client_id)
);
create index api_exclusions_client_id on api_exclusions (client_id);

-- Clients' access to APIs through the client_credentials grant (RFC 6749 §4.4). While `granted_at` is null, the request is pending.
create table api_service_access (
  api_id text not null references apis (api_id) on delete cascade,
  client_id text not null references clients (client_id) on delete cascade,
  scopes text[] not null,
  requested_at timestamptz not null,
  granted_at timestamptz,
  primary key (api_id, client_id)
);
create index api_service_access_client_id on api_service_access (client_id);

create table agents (
  client_id text primary key references clients (client_id) on delete cascade,
  kind text not null check (kind in ('document', 'registration')),
  origin text,
  fetched_at timestamptz,
  fresh_until timestamptz,
  created_at timestamptz not null,
  check ((kind = 'document') = ((origin is not null) and (fetched_at is not null) and (fresh_until is not null)))
);
create index agents_created_at on agents (created_at, client_id);
create index agents_age on agents (kind, fetched_at, created_at, client_id);
create index agents_origin on agents (origin text_pattern_ops) where kind = 'document';

-- Withdrawn consents are kept. A new row would restart at epoch 0, which could make revoked grants valid.
create table consents (
  user_id uuid not null references users (id) on delete cascade,
  client_id text not null,
  scopes text[] not null,
  epoch integer not null default 0,
  granted_at timestamptz not null,
  withdrawn_at timestamptz,
  primary key (user_id, client_id)
) with (fillfactor = 80);
create index consents_of_client on consents (client_id) where withdrawn_at is null;

-- One row per authorization, inserted when the code is redeemed.
-- There are no foreign keys. Pruning deletes the grants of deleted accounts and clients.
-- An index on an updated column would prevent HOT updates.
create table grants (
  id uuid not null,
  client_id text not null,
  user_id uuid not null,
  epoch integer not null,
  rotation integer not null,
  rotated_by bytea,
  created_at timestamptz not null,
  rotated_at timestamptz not null,
  revoked_at timestamptz,
  sid uuid,
  apis text[],
  primary key (user_id, id)
) with (fillfactor = 80);
create index grants_user_id_sid on grants (user_id, sid);
create index grants_apis on grants using gin (apis) where apis is not null;

create table access_tokens (
  user_id uuid not null,
  hash bytea not null,
  grant_id uuid not null,
  scope text not null,
  expires_at timestamptz not null,
  -- Null if the token is for this service's userinfo endpoint.
  api_id text,
  primary key (user_id, hash)
);
create index access_tokens_expires_at on access_tokens (expires_at);

-- Access tokens from the client_credentials grant (RFC 6749 §4.4).
-- There are no foreign keys. Lookups join the client and the API, so deleting either one invalidates the token.
create table service_tokens (
  hash bytea primary key,
  client_id text not null,
  epoch integer not null,
  expires_at timestamptz not null,
  api_id text not null,
  created_at timestamptz not null
);
create index service_tokens_expires_at on service_tokens (expires_at);
create index service_tokens_client_id on service_tokens (client_id);
create index service_tokens_api_id on service_tokens (api_id);

-- Device authorization requests (RFC 8628). `user_code_mac` is a keyed hash of the user code.
create table device_requests (
  user_code_mac bytea primary key,
  device_code_hash bytea not null,
  client_id text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Minimum number of seconds between two polls.
  interval integer not null,
  polled_at timestamptz,
  user_id uuid,
  epoch integer,
  sid uuid,
  auth_time timestamptz,
  allowed boolean,
  methods text[] not null default '{pwd}',
  -- The network from which the device code was requested (RFC 10027 §6.1.14).
  requested_from text not null default ''
);
create index device_requests_expires_at on device_requests (expires_at);

create table logout_deliveries (
  id bigint generated always as identity,
  client_id text not null,
  user_id uuid not null,
  sid uuid not null,
  created_at timestamptz not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  delivered_at timestamptz,
  last_error_detail text,
  last_error text,
  primary key (user_id, id)
);
create index logout_deliveries_next_attempt_at on logout_deliveries (next_attempt_at) where next_attempt_at is not null;
create index logout_deliveries_client_id on logout_deliveries (client_id, created_at);
create index logout_deliveries_created_at on logout_deliveries (created_at);
create index logout_deliveries_failed on logout_deliveries (created_at)
  where delivered_at is null and last_error is not null and last_error <> 'no_uri';
create index logout_deliveries_user_id on logout_deliveries (user_id, created_at, id);

-- Claims that each client has received about each user. Rows are kept when the client is deleted.
create table disclosures (
  user_id uuid not null references users (id) on delete cascade,
  client_id text not null,
  fields text not null,
  client_name text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  times bigint not null,
  primary key (user_id, client_id, fields)
) with (fillfactor = 80);

-- Refused requests, without secrets, codes or tokens.
-- Requests without a client or API are stored for lookups by incident code.
create table refusals (
  id bigint generated always as identity primary key,
  client_id text references clients (client_id) on delete cascade,
  api_id text references apis (api_id) on delete cascade,
  at timestamptz not null,
  authenticated boolean not null,
  -- Whether an unauthenticated request contained a code, token or secret of the client or API.
  has_credential boolean not null,
  endpoint text not null,
  error text not null,
  kind text not null,
  facts jsonb not null,
  ip text not null,
  incident text not null
);
create index refusals_client_id on refusals (client_id, at) where client_id is not null;
create index refusals_api_id on refusals (api_id, at) where api_id is not null;
create index refusals_at on refusals (at);
create index refusals_incident on refusals (incident);
create index refusals_of_neither on refusals (at) where client_id is null and api_id is null;

-- Audit log. There are no foreign keys because events outlive accounts and clients.
create table events (
  id bigint generated always as identity,
  at timestamptz not null,
  kind text not null,
  actor_id uuid,
  -- The affected account, or the nil UUID.
  user_id uuid not null,
  client_id text,
  -- Cleared after RETENTION.
  ip text,
  detail jsonb not null,
  api_id text,
  primary key (user_id, at, id)
);
create index events_at on events (at);
create index events_client_id on events (client_id, at) where client_id is not null;
create index events_kind on events (kind, at);
create index events_actor_id on events (actor_id, at) where actor_id is not null;
create index events_ip on events (ip, at) where ip is not null;
create index events_with_ip on events (at) where ip is not null;
create index events_api_id on events (api_id, at) where api_id is not null;

-- Recently added redirect URIs and keys, which a report of unauthorized activity can remove.
create table added_entries (
  holder text not null,
  entry text not null,
  added_at timestamptz not null,
  primary key (holder, entry)
);
create index added_entries_added_at on added_entries (added_at);

-- Activity counts per client, kind and UTC day.
-- If `client_id` is null, `kind` is a service-wide activity, a route or `provider:ID`.
-- `counts` has one number per hour. For a route, it has one number per response-time bucket.
create table activity (
  client_id text references clients (client_id) on delete cascade,
  kind text not null,
  day timestamptz not null,
  total bigint not null,
  counts bigint[] not null,
  unique nulls not distinct (client_id, kind, day)
) with (fillfactor = 70);
create index activity_day on activity (day);
-- Citus needs this setting to copy a table without a primary key to a new node.
alter table activity replica identity full;

-- Sealed signing keys. A key is published in the JWKS before it signs tokens (`signs_from`).
create table signing_keys (
  kid text primary key,
  algorithm text not null,
  public_jwk jsonb not null,
  private_key_sealed text not null,
  created_at timestamptz not null,
  signs_from timestamptz not null
);

-- Leaky buckets for sign-in throttling and rate limits. `key` is a user id or a keyed hash.
-- `wrong` counts consecutive wrong passwords.
create table throttles (
  key uuid primary key,
  -- When the bucket will be empty, in milliseconds since 1970. Citus rejects timestamptz arithmetic in updates.
  -- The column has no index because an index would prevent HOT updates.
  empty_at_ms bigint not null,
  wrong integer not null default 0
) with (fillfactor = 50);
