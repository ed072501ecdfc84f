-- The database schema.
-- The service passes the current time as a parameter, so no column has `now()` as its default.
-- Codes, tokens, secrets and session ids are stored as hashes, or sealed (encrypted and authenticated) with SECRET_KEY.

-- Account pictures and client logos. `hash` is the base64url hash of the owner's id and the image. It appears in the
-- image's URL.
create table pictures (
  hash text primary key,
  content bytea not null,
  type text not null
);

-- Keeps email addresses unique. `users` can't have a unique constraint on the email address, because Citus distributes
-- `users` by id.
create table emails (
  email_key text primary key,
  user_id uuid not null
);

-- Accounts. `id` is the value of the `sub` claim.
create table users (
  id uuid primary key,
  email text not null,
  email_key text not null,
  name text not null,
  phone text,
  email_verified boolean not null,
  -- An Argon2id hash in PHC string format. For an imported account, this is the other system's hash until the user
  -- first signs in with the password. Null if the account has no password.
  password_hash text,
  is_admin boolean not null,
  -- Accounts, clients and consents each have an epoch. A grant stores the sum of its account's, client's and
  -- consent's epochs, so incrementing any of them revokes the grant.
  epoch integer not null default 0,
  suspended_at timestamptz,
  profile_updated_at timestamptz not null,
  created_at timestamptz not null,
  locale text check (locale in ('fr', 'en')),
  picture_hash text,
  -- Incrementing this number invalidates all of the account's known browsers and remembered devices.
  browser_epoch integer not null default 0,
  password_set_at timestamptz,
  invited_at timestamptz,
  -- When the account was imported from another service, or null if it wasn't imported.
  imported_at timestamptz,
  totp_secret text,
  -- The time step of the last accepted TOTP code. Each code may be used only once (RFC 6238 §5.2).
  totp_step bigint,
  totp_enabled_at timestamptz,
  -- The number of the account's passkeys, stored here so that the maximum can be enforced by locking only this row.
  passkey_count integer not null default 0 check (passkey_count >= 0),
  -- When the user may next be asked to create a passkey. `infinity` means never.
  passkey_offer_at timestamptz,
  constraint users_totp_check check ((totp_secret is null) = (totp_enabled_at is null))
);
create index users_created_at on users (created_at, id);
create index users_email_pattern on users (email_key text_pattern_ops);
create index users_name_pattern on users (lower(name) text_pattern_ops);
create index users_is_admin on users (id) where is_admin;
create index users_suspended on users (id) where suspended_at is not null;
-- Used to list the schemes and cost parameters of imported password hashes (store/imported-passwords.ts).
create index users_imported_password on users (substring(password_hash from '^\{imported\}([$][^$]+(?:[$]v=[0-9]+)?[$][^$]+)'))
  where password_hash like '{imported}%';

-- Passkeys (WebAuthn discoverable credentials).
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

-- Identity providers that users can sign in with, such as Google.
create table identity_providers (
  -- The provider's name in URLs, for example `google`.
  provider_id text primary key,
  preset text not null,
  name text not null,
  issuer text not null unique,
  client_id text not null,
  -- The client secret (for Apple, the private key), sealed with SECRET_KEY.
  sealed_secret text not null,
  -- Provider-specific settings, such as Microsoft's tenants (oauth/identity-provider.ts).
  options jsonb not null,
  -- An email address from this provider counts as verified only if its domain is in this list.
  trusted_email_domains text[] not null,
  position integer not null,
  disabled_at timestamptz,
  created_at timestamptz not null
);

-- Accounts at identity providers, linked to accounts of this service (OpenID Connect Core §5.7).
create table external_identities (
  user_id uuid not null references users (id) on delete cascade,
  issuer text not null,
  subject text not null,
  -- The provider through which the identity was last used. For an imported identity, this is the issuer until the
  -- provider is added.
  provider_id text not null,
  -- The user's email address or name at the provider. It is displayed, but never used to find an account.
  label text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (user_id, issuer, subject)
);
create index external_identities_provider_id on external_identities (provider_id, user_id);

-- Ensures that each external identity is linked to at most one account. `identity_key` is a hash of the issuer and
-- subject.
create table external_identity_keys (
  identity_key bytea primary key,
  user_id uuid not null
);

-- Recovery codes, stored as keyed hashes.
create table recovery_codes (
  user_id uuid not null references users (id) on delete cascade,
  hash bytea not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (user_id, hash)
);

-- Remembered devices: browsers in which the user can sign in without the second factor.
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

-- Pending MFA resets that administrators have requested. Until `due_at`, the user can cancel the reset.
create table mfa_resets (
  user_id uuid primary key references users (id) on delete cascade,
  cancel_hash bytea not null,
  requested_at timestamptz not null,
  due_at timestamptz not null,
  passkeys boolean not null default false
);
create index mfa_resets_due_at on mfa_resets (due_at);

-- Browser sessions, keyed by the hash of the session id. The fill factor leaves room for HOT updates.
create table sessions (
  id_hash bytea not null,
  sid uuid not null,
  user_id uuid not null references users (id) on delete cascade,
  user_epoch integer not null,
  auth_time timestamptz not null,
  expires_at timestamptz not null,
  -- The IP is cleared after the retention period (RETENTION).
  ip text not null,
  user_agent text not null,
  last_seen_at timestamptz,
  -- The hash of the session's original id. Null until the session gets a new id.
  origin_hash bytea,
  methods text[] not null default '{pwd}',
  -- When the user last presented all of the account's factors. Null if this was at `auth_time`.
  all_factors_at timestamptz,
  -- Whether a passkey was used earlier in this session. `methods` has only the methods of the last authentication.
  used_passkey boolean not null default false,
  -- When the session started. A new sign-in in the same browser doesn't change this time.
  started_at timestamptz not null,
  primary key (user_id, id_hash)
) with (fillfactor = 80);
create index sessions_expires_at on sessions (expires_at);
create index sessions_with_ip on sessions (auth_time) where ip <> '';
create index sessions_user_id_sid on sessions (user_id, sid);

-- Links and codes sent by email. `hash` is the hash of the link's token. `code_hash` is a keyed hash of the code.
create table one_time_tokens (
  user_id uuid not null references users (id) on delete cascade,
  hash bytea not null,
  kind text not null,
  -- The email address that the link or code was sent to.
  email text not null,
  -- The account's epoch when the token was issued. Null if the token remains valid when the epoch changes.
  user_epoch integer,
  code_hash bytea,
  detail jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (user_id, hash)
);
create index one_time_tokens_expires_at on one_time_tokens (expires_at);

-- Single-use tokens that have been used: form tokens, passkey challenges and the states of sign-ins through identity
-- providers. `result` is the result of the form's first submission. For an anonymous user's form, `user_id` is the nil
-- UUID. There is no foreign key, because submitting a form may delete the account.
create table used_tokens (
  user_id uuid not null,
  key bytea not null,
  expires_at timestamptz not null,
  result jsonb,
  primary key (user_id, key)
);
create index used_tokens_expires_at on used_tokens (expires_at);

-- Emails to be sent, sealed with SECRET_KEY. A row is deleted when the mail server accepts or permanently rejects the
-- email.
create table outbox (
  id uuid not null,
  -- The account that the email concerns, or the nil UUID if there is none.
  user_id uuid not null,
  number bigint generated always as identity,
  sealed text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- When the email may next be sent. Before a process sends the email, it moves this time forward so that no other
  -- process sends it.
  next_attempt_at timestamptz not null,
  attempts integer not null default 0,
  primary key (user_id, id)
) with (fillfactor = 70);
create index outbox_next_attempt_at on outbox (next_attempt_at);
create index outbox_expires_at on outbox (expires_at);

-- OAuth clients. Agents are clients without an owner.
-- `clients` and `apis` have no foreign key to their owner's account, because they are reference tables on Citus. The
-- transaction that deletes an account also deletes the account's clients and APIs.
create table clients (
  client_id text primary key,
  owner_id uuid,
  name text not null,
  type text not null check (type in ('confidential', 'public')),
  redirect_uris text[] not null,
  scopes text[] not null,
  standard boolean not null,
  -- How long a superseded refresh token is still accepted, in seconds.
  refresh_grace integer not null check (refresh_grace between 0 and 60),
  epoch integer not null default 0,
  suspended_at timestamptz,
  created_at timestamptz not null,
  logo text,
  home_page text,
  privacy_policy text,
  terms_of_service text,
  verified_at timestamptz,
  -- The number of secrets ever issued to the client, which is also the number of its newest secret.
  secrets_issued integer not null default 0,
  id_token_algorithm text not null default 'RS256' check (id_token_algorithm in ('RS256', 'ES256', 'EdDSA')),
  par_required boolean not null default false,
  -- Public keys for private_key_jwt, as a JWK Set.
  jwks jsonb,
  device_flow boolean not null default false,
  post_logout_redirect_uris text[] not null default '{}',
  backchannel_logout_uri text,
  pkce_required boolean not null default false,
  -- Whether ID tokens include the claims of the granted scopes. Null means the same as `standard`, which selects
  -- standard OpenID Connect mode.
  id_token_claims boolean,
  mfa_required boolean not null default false
);
create index clients_owner_id on clients (owner_id);
create index clients_created_at on clients (created_at, client_id);
create index clients_name_pattern on clients (lower(name) text_pattern_ops);
create index clients_suspended on clients (client_id) where suspended_at is not null;

-- Protocol features that each client has used or omitted, for the checklist on the client's Diagnostics page.
create table client_observations (
  client_id text not null references clients (client_id) on delete cascade,
  signal text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (client_id, signal)
);

-- APIs: protected resources that access tokens can be issued for (RFC 8707, RFC 9728).
create table apis (
  api_id text primary key,
  owner_id uuid not null,
  identifier text not null,
  -- The identifier normalized for lookups: without the trailing slash if the path is only `/`.
  identifier_key text not null unique,
  name text not null,
  description_fr text not null,
  description_en text not null,
  -- A list of {"name", "fr", "en", "sensitive", "agents"} objects in the order chosen by the owner. `fr` and `en`
  -- describe the scope in French and English. One of the two descriptions may be empty.
  scopes jsonb not null default '[]',
  -- The lifetime of the API's access tokens, in seconds.
  token_lifetime integer not null check (token_lifetime between 60 and 86400),
  -- Which clients may use the API: only the owner's clients, all clients that have an owner, or all clients including
  -- agents.
  allowed_clients text not null check (allowed_clients in ('own', 'applications', 'agents')),
  jwks jsonb,
  secrets_issued integer not null default 0,
  suspended_at timestamptz,
  created_at timestamptz not null
);
create index apis_owner_id on apis (owner_id);
create index apis_name_pattern on apis (lower(name) text_pattern_ops);
create index apis_suspended on apis (api_id) where suspended_at is not null;

-- Client secrets and API secrets, stored as hashes. While a secret is being rotated, both the old and the new secret
-- are valid.
create table secrets (
  client_id text references clients (client_id) on delete cascade,
  api_id text references apis (api_id) on delete cascade,
  holder text generated always as (coalesce(client_id, api_id)) stored,
  secret_hash bytea not null,
  number integer not null default 1,
  -- The secret's last four characters, shown to the owner.
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

-- Client assertions that have been used. A row is kept until its assertion expires, to prevent replay (RFC
-- 7523 §3).
create table used_assertions (
  -- The client_id or api_id of the assertion's issuer.
  holder text not null,
  jti_hash bytea not null,
  expires_at timestamptz not null,
  primary key (holder, jti_hash)
);
create index used_assertions_expires_at on used_assertions (expires_at);

-- Offers to transfer a client or an API to another account. The owner never learns whether the recipient has
-- an account.
create table transfer_offers (
  client_id text unique references clients (client_id) on delete cascade,
  api_id text unique references apis (api_id) on delete cascade,
  holder text generated always as (coalesce(client_id, api_id)) stored primary key,
  email text not null,
  email_key text not null,
  recipient_id uuid,
  offered_at timestamptz not null,
  expires_at timestamptz not null,
  -- The owner's epoch when the offer was made. The offer becomes invalid when the owner's epoch changes.
  owner_epoch integer not null,
  check (num_nonnulls(client_id, api_id) = 1)
);
create index transfer_offers_recipient_id on transfer_offers (recipient_id);
create index transfer_offers_expires_at on transfer_offers (expires_at);

-- Clients whose access to an API was revoked by the API's owner. There is no foreign key to `clients` because the
-- revocation must still apply if an agent is deleted and then stored again.
create table api_exclusions (
  api_id text not null references apis (api_id) on delete cascade,
  client_id text not null,
  excluded_at timestamptz not null,
  lifted_at timestamptz,
  primary key (api_id, client_id)
);
create index api_exclusions_client_id on api_exclusions (client_id);

-- Clients' access to APIs through the client_credentials grant (RFC 6749 §4.4). While `granted_at` is null, the
-- client's request for access is pending.
create table api_service_access (
  api_id text not null references apis (api_id) on delete cascade,
  client_id text not null references clients (client_id) on delete cascade,
  scopes text[] not null,
  requested_at timestamptz not null,
  granted_at timestamptz,
  primary key (api_id, client_id)
);
create index api_service_access_client_id on api_service_access (client_id);

-- Agents: metadata clients (kind `document`) and dynamic clients (kind `registration`).
create table agents (
  client_id text primary key references clients (client_id) on delete cascade,
  kind text not null check (kind in ('document', 'registration')),
  -- The origin of the metadata document's URL. Null for a dynamic client.
  origin text,
  fetched_at timestamptz,
  fresh_until timestamptz,
  created_at timestamptz not null,
  check ((kind = 'document') = ((origin is not null) and (fetched_at is not null) and (fresh_until is not null)))
);
create index agents_created_at on agents (created_at, client_id);
create index agents_age on agents (kind, fetched_at, created_at, client_id);
create index agents_origin on agents (origin text_pattern_ops) where kind = 'document';

-- Users' consents. Withdrawn consents are kept because a new row's epoch would start at 0 again, which could make
-- revoked grants valid.
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

-- Grants: one row per authorization, inserted when the authorization code or device code is redeemed. Each token
-- refresh increments `rotation`. Columns that are updated have no index, so updates can be HOT. There are no
-- foreign keys. Deleting an account or a client invalidates its grants, and pruning deletes them later.
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

-- Users' access tokens, keyed by the token's hash. Pruning deletes them after they have expired.
create table access_tokens (
  user_id uuid not null,
  hash bytea not null,
  grant_id uuid not null,
  scope text not null,
  expires_at timestamptz not null,
  -- The API that the token is for, or null if the token is for this service's userinfo endpoint.
  api_id text,
  primary key (user_id, hash)
);
create index access_tokens_expires_at on access_tokens (expires_at);

-- Access tokens issued through the client_credentials grant (RFC 6749 §4.4), keyed by the token's hash. There are no
-- foreign keys. Lookups join the client and the API, so they ignore tokens of deleted clients and APIs.
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

-- Device authorization requests (RFC 8628). `user_code_mac` is a keyed hash of the user code and is also part of the
-- device code. The device code itself is stored only as a hash, from which the grant's id is derived.
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
  -- The network that the device code was requested from (RFC 10027 §6.1.14).
  requested_from text not null default ''
);
create index device_requests_expires_at on device_requests (expires_at);

-- Back-channel logout notifications, each with the result of its last delivery attempt.
create table logout_deliveries (
  id bigint generated always as identity,
  client_id text not null,
  user_id uuid not null,
  sid uuid not null,
  created_at timestamptz not null,
  attempts integer not null default 0,
  -- When the next delivery attempt is due. Null if the notification was delivered or delivery was given up.
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

-- Claims that each client has received about each user. Deleting the client doesn't delete these rows.
create table disclosures (
  user_id uuid not null references users (id) on delete cascade,
  client_id text not null,
  -- Claim names, separated by spaces.
  fields text not null,
  client_name text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  times bigint not null,
  primary key (user_id, client_id, fields)
) with (fillfactor = 80);

-- Refused requests, shown to administrators and to the owner of the client or API. The rows contain no secrets, codes
-- or tokens. Refusals without a client or API are also stored so that administrators can look up their incident
-- codes.
create table refusals (
  id bigint generated always as identity primary key,
  client_id text references clients (client_id) on delete cascade,
  api_id text references apis (api_id) on delete cascade,
  at timestamptz not null,
  authenticated boolean not null,
  -- Whether an unauthenticated request contained a code, token or secret that belongs to the client or API.
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

-- Audit log. There are no foreign keys, because an event is retained for AUDIT_RETENTION even if its account or client
-- is deleted.
create table events (
  id bigint generated always as identity,
  at timestamptz not null,
  kind text not null,
  actor_id uuid,
  -- The affected account, or the nil UUID if the event affects no account.
  user_id uuid not null,
  client_id text,
  -- The IP is cleared after the retention period (RETENTION).
  ip text,
  detail jsonb not null,
  api_id text,
  -- An account's events are listed in the order of this key.
  primary key (user_id, at, id)
);
create index events_at on events (at);
create index events_client_id on events (client_id, at) where client_id is not null;
create index events_kind on events (kind, at);
create index events_actor_id on events (actor_id, at) where actor_id is not null;
create index events_ip on events (ip, at) where ip is not null;
create index events_with_ip on events (at) where ip is not null;
create index events_api_id on events (api_id, at) where api_id is not null;

-- Redirect URIs and keys that were recently added to existing clients and APIs. A report of unauthorized activity can
-- remove them. Rows are pruned after 38 days.
create table added_entries (
  holder text not null,
  -- The redirect URI, or the key as JSON.
  entry text not null,
  added_at timestamptz not null,
  primary key (holder, entry)
);
create index added_entries_added_at on added_entries (added_at);

-- Activity counts per client, kind and UTC day. In rows without a `client_id`, `kind` is a service-wide activity, a
-- route, or `provider:ID` for sign-ins through an identity provider. `counts` has one number per hour or, for a route,
-- one per bucket of the response-time histogram. It is empty for `live_grants`.
create table activity (
  client_id text references clients (client_id) on delete cascade,
  kind text not null,
  day timestamptz not null,
  total bigint not null,
  counts bigint[] not null,
  unique nulls not distinct (client_id, kind, day)
) with (fillfactor = 70);
create index activity_day on activity (day);
-- Citus copies tables to a new node by logical replication, which requires this setting for a table without a primary
-- key.
alter table activity replica identity full;

-- Signing keys, sealed with SECRET_KEY. A new key is published in the JWKS at once, but isn't used to sign tokens until
-- `signs_from`.
create table signing_keys (
  kid text primary key,
  algorithm text not null,
  public_jwk jsonb not null,
  private_key_sealed text not null,
  created_at timestamptz not null,
  signs_from timestamptz not null
);

-- Leaky buckets for sign-in throttling and rate limits. The key is an account's id, or a UUIDv8 derived from a keyed
-- hash of a network, an unknown email address or the subject of a rate limit. `wrong` counts consecutive wrong
-- passwords. `empty_at_ms` has no index so that updates can be HOT.
create table throttles (
  key uuid primary key,
  -- When the bucket will be empty, in milliseconds since 1970. The type isn't timestamptz, because Citus rejects
  -- timestamptz arithmetic in an update.
  empty_at_ms bigint not null,
  wrong integer not null default 0
) with (fillfactor = 50);
