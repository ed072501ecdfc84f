-- The data model. Times come from the service's clock as parameters; no default asks the database for one. Whatever
-- could be used (codes, tokens, secrets, session ids) is stored as a hash, or sealed with SECRET_KEY.

-- Pictures of accounts and clients, by the base64url hash of the owner's id and the content, which is in their URL. Each is
-- deleted with the one owner that shows it.
create table pictures (
  hash text primary key,
  content bytea not null,
  type text not null
);

-- Which account has an email: the key keeps emails unique.
create table emails (
  email_key text primary key,
  user_id uuid not null
);

-- Accounts. A client's name for one is `id` (`sub`).
create table users (
  id uuid primary key,
  email text not null,
  email_key text not null,
  name text not null,
  phone text,
  email_verified boolean not null,
  -- Null for an account without a password.
  password_hash text,
  operator boolean not null,
  -- Epochs of accounts, clients and consents: a grant copies their sum, so increasing one ends all that depends on
  -- it.
  epoch integer not null default 0,
  suspended_at timestamptz,
  profile_updated_at timestamptz not null,
  created_at timestamptz not null,
  locale text check (locale in ('fr', 'en')),
  picture_hash text,
  -- Increased to forget every browser of the account.
  browser_epoch integer not null default 0,
  password_chosen_at timestamptz,
  invited_at timestamptz,
  totp_secret text,
  -- The last accepted time step: a code works once (RFC 6238 §5.2).
  totp_step bigint,
  totp_since timestamptz,
  -- Kept here so that decisions about the number lock one row.
  passkey_count integer not null default 0 check (passkey_count >= 0),
  -- No passkey is offered before this; infinity for never.
  passkey_offer_at timestamptz,
  constraint users_totp_check check ((totp_secret is null) = (totp_since is null))
);
create index users_created_at on users (created_at, id);
create index users_email_pattern on users (email_key text_pattern_ops);
create index users_name_pattern on users (lower(name) text_pattern_ops);
create index users_operator on users (id) where operator;
create index users_suspended on users (id) where suspended_at is not null;

-- Passkeys (WebAuthn discoverable credentials). The private key never leaves its authenticator.
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

-- Recovery codes, by a keyed hash.
create table recovery_codes (
  user_id uuid not null references users (id) on delete cascade,
  hash bytea not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (user_id, hash)
);

-- Remembered devices, on which the password is enough.
create table trusted_browsers (
  hash bytea not null,
  id uuid not null,
  user_id uuid not null references users (id) on delete cascade,
  browser_epoch integer not null,
  user_agent text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (user_id, hash)
);
create index trusted_browsers_expires_at on trusted_browsers (expires_at);

-- Resets of MFA that an administrator has asked for. Until `due_at` the account can stop them.
create table second_factor_resets (
  user_id uuid primary key references users (id) on delete cascade,
  stop_hash bytea not null,
  asked_at timestamptz not null,
  due_at timestamptz not null,
  passkeys boolean not null default false
);
create index second_factor_resets_due_at on second_factor_resets (due_at);

-- Browser sessions, by the hash of the session id. The page has room for the next version of a row (HOT updates).
create table sessions (
  id_hash bytea not null,
  sid uuid not null,
  user_id uuid not null references users (id) on delete cascade,
  user_epoch integer not null,
  auth_time timestamptz not null,
  expires_at timestamptz not null,
  address text not null,
  user_agent text not null,
  last_seen_at timestamptz,
  -- The hash of the id that the session began with; null while it has that id.
  origin_hash bytea,
  methods text[] not null default '{pwd}',
  -- When all factors of the account were shown, if earlier than `auth_time`.
  fully_proven_at timestamptz,
  -- Whether a passkey was used in the session before what `methods` says.
  passkey_before boolean not null default false,
  -- Signing in again in the same browser continues the session.
  started_at timestamptz not null,
  primary key (user_id, id_hash)
) with (fillfactor = 80);
create index sessions_expires_at on sessions (expires_at);
create index sessions_to_forget on sessions (auth_time) where address <> '';
create index sessions_user_id_sid on sessions (user_id, sid);

-- Links and codes sent by email: of the link only a hash, of the typed code a keyed hash.
create table one_time_tokens (
  user_id uuid not null references users (id) on delete cascade,
  hash bytea not null,
  kind text not null,
  -- The mailbox that it was sent to.
  email text not null,
  -- Null where the token must survive the end of everything else of the account.
  user_epoch integer,
  code_hash bytea,
  detail jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (user_id, hash)
);
create index one_time_tokens_expires_at on one_time_tokens (expires_at);

-- Tokens that were used and do their work once: of forms, with the result that a second use is led to, and challenges of
-- passkeys. A form without an account has the nil UUID. No foreign key: it outlives the account that its form deleted.
create table spent_tokens (
  user_id uuid not null,
  key bytea not null,
  expires_at timestamptz not null,
  result jsonb,
  primary key (user_id, key)
);
create index spent_tokens_expires_at on spent_tokens (expires_at);

-- Outbox. Each email is sealed with SECRET_KEY. A row is deleted when the mail server has accepted or finally refused
-- it.
create table mails (
  id uuid not null,
  -- The account that it concerns, or the nil UUID.
  user_id uuid not null,
  number bigint generated always as identity,
  sealed text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Nobody tries before this; a process that is sending moves it ahead.
  next_attempt_at timestamptz not null,
  attempts integer not null default 0,
  primary key (user_id, id)
) with (fillfactor = 70);
create index mails_next_attempt_at on mails (next_attempt_at);
create index mails_expires_at on mails (expires_at);

-- OAuth clients. Agents are clients without an owner. No foreign key to the owner, here and for APIs: every node has a
-- copy of these tables, and deleting an account deletes what it owns.
create table clients (
  client_id text primary key,
  owner_id uuid,
  name text not null,
  type text not null check (type in ('confidential', 'public')),
  redirect_uris text[] not null,
  scopes text[] not null,
  standard boolean not null,
  -- Seconds in which a superseded refresh token gets the same successor.
  refresh_grace integer not null check (refresh_grace between 0 and 60),
  epoch integer not null default 0,
  suspended_at timestamptz,
  created_at timestamptz not null,
  logo text,
  home_page text,
  privacy_policy text,
  terms_of_service text,
  verified_at timestamptz,
  -- The number of the last secret; numbers are not reused.
  secrets_given integer not null default 0,
  id_token_algorithm text not null default 'RS256' check (id_token_algorithm in ('RS256', 'ES256', 'EdDSA')),
  par_required boolean not null default false,
  -- Public keys for private_key_jwt, as a JWK Set.
  jwks jsonb,
  device_flow boolean not null default false,
  post_logout_redirect_uris text[] not null default '{}',
  backchannel_logout_uri text,
  pkce_required boolean not null default false,
  -- Null: as the mode says.
  id_token_claims boolean,
  second_factor_required boolean not null default false
);
create index clients_owner_id on clients (owner_id);
create index clients_created_at on clients (created_at, client_id);
create index clients_name_pattern on clients (lower(name) text_pattern_ops);
create index clients_suspended on clients (client_id) where suspended_at is not null;

-- What a client was seen doing, or leaving out: the checklist of Diagnostics.
create table client_observations (
  client_id text not null references clients (client_id) on delete cascade,
  signal text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (client_id, signal)
);

-- APIs (protected resources, RFC 8707 and RFC 9728): what access tokens may be for besides this service.
create table apis (
  api_id text primary key,
  owner_id uuid not null,
  identifier text not null,
  -- The identifier without a slash right after the origin.
  identifier_key text not null unique,
  name text not null,
  words_fr text not null,
  words_en text not null,
  -- [{"name", "fr", "en", "sensitive", "agents"}], in the owner's order.
  scopes jsonb not null default '[]',
  -- Seconds.
  token_lifetime integer not null check (token_lifetime between 60 and 86400),
  -- The owner's own clients, all registered clients, or agents too.
  admits text not null check (admits in ('own', 'applications', 'agents')),
  jwks jsonb,
  secrets_given integer not null default 0,
  suspended_at timestamptz,
  created_at timestamptz not null
);
create index apis_owner_id on apis (owner_id);
create index apis_name_pattern on apis (lower(name) text_pattern_ops);

-- Secrets of clients and APIs, by their hash. Several may be valid while one replaces another.
create table secrets (
  client_id text references clients (client_id) on delete cascade,
  api_id text references apis (api_id) on delete cascade,
  holder text generated always as (coalesce(client_id, api_id)) stored,
  secret_hash bytea not null,
  number integer not null default 1,
  -- The last four characters.
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

-- Assertions of clients and APIs that were used, until they expire: none counts twice (RFC 7523 §3).
create table used_assertions (
  -- The client_id or api_id.
  holder text not null,
  jti_hash bytea not null,
  expires_at timestamptz not null,
  primary key (holder, jti_hash)
);
create index used_assertions_expires_at on used_assertions (expires_at);

-- Clients and APIs on offer to another account. Whether the email has an account is not stored, and not revealed.
create table transfer_offers (
  client_id text unique references clients (client_id) on delete cascade,
  api_id text unique references apis (api_id) on delete cascade,
  holder text generated always as (coalesce(client_id, api_id)) stored primary key,
  email text not null,
  email_key text not null,
  recipient_id uuid,
  offered_at timestamptz not null,
  expires_at timestamptz not null,
  -- The offer ends with everything else of the account that made it.
  owner_epoch integer not null,
  check (num_nonnulls(client_id, api_id) = 1)
);
create index transfer_offers_recipient_id on transfer_offers (recipient_id);
create index transfer_offers_expires_at on transfer_offers (expires_at);

-- Clients whose access an API's owner has revoked. No foreign key on clients: it outlives an agent's row.
create table api_exclusions (
  api_id text not null references apis (api_id) on delete cascade,
  client_id text not null,
  excluded_at timestamptz not null,
  lifted_at timestamptz,
  primary key (api_id, client_id)
);
create index api_exclusions_client_id on api_exclusions (client_id);

-- What a client asks of an API on its own account (RFC 6749 §4.4); in force once `granted_at` is set.
create table api_service_access (
  api_id text not null references apis (api_id) on delete cascade,
  client_id text not null references clients (client_id) on delete cascade,
  scopes text[] not null,
  asked_at timestamptz not null,
  granted_at timestamptz,
  primary key (api_id, client_id)
);
create index api_service_access_client_id on api_service_access (client_id);

-- Agents: how they were registered, and how old their metadata document is.
create table agents (
  client_id text primary key references clients (client_id) on delete cascade,
  way text not null check (way in ('document', 'registration')),
  -- Scheme, host and port of the document.
  origin text,
  fetched_at timestamptz,
  fresh_until timestamptz,
  created_at timestamptz not null,
  check ((way = 'document') = ((origin is not null) and (fetched_at is not null) and (fresh_until is not null)))
);
create index agents_created_at on agents (created_at, client_id);
create index agents_age on agents (way, fetched_at, created_at, client_id);
create index agents_origin on agents (origin text_pattern_ops) where way = 'document';

-- Consents. A withdrawn one keeps its row, because its epoch must go on growing.
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

-- Grants: one row per authorization, inserted when its code is redeemed. A refresh is the next generation. Only
-- columns without an index change (HOT). No foreign keys: a grant without its account or client is dead, and is
-- pruned.
create table grants (
  id uuid not null,
  client_id text not null,
  user_id uuid not null,
  epoch integer not null,
  generation integer not null,
  advanced_by bytea,
  created_at timestamptz not null,
  advanced_at timestamptz not null,
  revoked_at timestamptz,
  sid uuid,
  -- The APIs that the grant is for besides this service.
  apis text[],
  primary key (user_id, id)
) with (fillfactor = 80);
create index grants_user_id_sid on grants (user_id, sid);
create index grants_apis on grants using gin (apis) where apis is not null;

-- Access tokens younger than their lifetime, by the hash of the whole token.
create table access_tokens (
  user_id uuid not null,
  hash bytea not null,
  grant_id uuid not null,
  scope text not null,
  expires_at timestamptz not null,
  -- Null: for this service itself.
  api_id text,
  primary key (user_id, hash)
);
create index access_tokens_expires_at on access_tokens (expires_at);

-- Access tokens of clients on their own account (RFC 6749 §4.4), by the hash of the whole token. No foreign keys: they are
-- looked up together with the client and the API.
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

-- Devices that wait for a user's decision (RFC 8628). The device code is hashed, the user code keyed-hashed; the device
-- code begins with the latter. The grant that it becomes has an id made of its hash.
create table device_requests (
  user_code_mac bytea primary key,
  device_code_hash bytea not null,
  client_id text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Seconds between two polls.
  interval integer not null,
  polled_at timestamptz,
  user_id uuid,
  epoch integer,
  sid uuid,
  auth_time timestamptz,
  allowed boolean,
  methods text[] not null default '{pwd}',
  -- The network that the code was requested from (RFC 10027 §6.1.14).
  requested_from text not null default ''
);
create index device_requests_expires_at on device_requests (expires_at);

-- Back-channel logouts to deliver, until the client has accepted them or retrying makes no sense.
create table logout_deliveries (
  id bigint generated always as identity,
  client_id text not null,
  user_id uuid not null,
  sid uuid not null,
  created_at timestamptz not null,
  attempts integer not null default 0,
  -- Null: never again.
  next_attempt_at timestamptz,
  delivered_at timestamptz,
  last_detail text,
  last_fault text,
  primary key (user_id, id)
);
create index logout_deliveries_next_attempt_at on logout_deliveries (next_attempt_at) where next_attempt_at is not null;
create index logout_deliveries_client_id on logout_deliveries (client_id, created_at);
create index logout_deliveries_created_at on logout_deliveries (created_at);
create index logout_deliveries_user_id on logout_deliveries (user_id, created_at, id);

-- Which claims each client received about which user, and when. It outlives the client, under the name it had.
create table disclosures (
  user_id uuid not null references users (id) on delete cascade,
  client_id text not null,
  -- Names of claims, separated by spaces.
  fields text not null,
  application_name text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  times bigint not null,
  primary key (user_id, client_id, fields)
) with (fillfactor = 80);

-- Refused requests, for the owner of the client or API and for administrators. Never a secret, code or token. One
-- that belongs to neither is kept because a page showed its incident code.
create table refusals (
  id bigint generated always as identity primary key,
  client_id text references clients (client_id) on delete cascade,
  api_id text references apis (api_id) on delete cascade,
  at timestamptz not null,
  authenticated boolean not null,
  -- The client or API had not authenticated, but presented a code, token or secret of it.
  held boolean not null,
  endpoint text not null,
  error text not null,
  kind text not null,
  facts jsonb not null,
  address text not null,
  incident text not null
);
create index refusals_client_id on refusals (client_id, at) where client_id is not null;
create index refusals_api_id on refusals (api_id, at) where api_id is not null;
create index refusals_at on refusals (at);
create index refusals_incident on refusals (incident);
create index refusals_of_neither on refusals (at) where client_id is null and api_id is null;

-- Audit log. No foreign keys: it outlives accounts and clients, until AUDIT_RETENTION.
create table events (
  id bigint generated always as identity,
  at timestamptz not null,
  kind text not null,
  actor_id uuid,
  -- The account that it was done to; the nil UUID if it concerns none.
  user_id uuid not null,
  client_id text,
  address text,
  detail jsonb not null,
  api_id text,
  -- In the order in which an account's events are listed.
  primary key (user_id, at, id)
);
create index events_at on events (at);
create index events_client_id on events (client_id, at) where client_id is not null;
create index events_kind on events (kind, at);
create index events_actor_id on events (actor_id, at) where actor_id is not null;
create index events_address on events (address, at) where address is not null;
create index events_to_forget on events (at) where address is not null;
create index events_api_id on events (api_id, at) where api_id is not null;

-- When a redirect URI or a key was added to a client or API after its registration. Kept for 38 days.
create table added_entries (
  -- A client_id or api_id.
  holder text not null,
  -- The URI, or the key as JSON.
  entry text not null,
  added_at timestamptz not null,
  primary key (holder, entry)
);
create index added_entries_added_at on added_entries (added_at);

-- Counts of what happened, a row per kind and UTC day: of a client, or of the service (`client_id` is null). `counts` has
-- one number per hour; where the kind is a route, one per bucket of its response times; for `live_grants` none.
create table activity (
  client_id text references clients (client_id) on delete cascade,
  kind text not null,
  day timestamptz not null,
  total bigint not null,
  counts bigint[] not null,
  unique nulls not distinct (client_id, kind, day)
) with (fillfactor = 70);
create index activity_day on activity (day);
-- Citus copies rows to a new node by logical replication, which identifies them by the whole row without a primary key.
alter table activity replica identity full;

-- Signing keys. Private keys are sealed with SECRET_KEY. The next one is published before it signs.
create table signing_keys (
  kid text primary key,
  algorithm text not null,
  public_jwk jsonb not null,
  private_key_sealed text not null,
  created_at timestamptz not null,
  signs_from timestamptz not null
);

-- Throttling of guesses, and rate limits: a count that drains until `empty_ms`. The key is an account's id, or a keyed hash as
-- a UUIDv8 (of a network, an email without an account, or what a limit is for). `wrong` is the number of wrong passwords
-- since the last right one. No index on the time, so that counting again touches none.
create table throttles (
  key uuid primary key,
  -- Milliseconds since 1970: arithmetic with timestamptz depends on the time zone, so Citus refuses it in an update.
  empty_ms bigint not null,
  wrong integer not null default 0
) with (fillfactor = 50);
