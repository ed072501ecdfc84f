-- Up Migration

-- Devices without a browser that wait for somebody to let them in (RFC 8628). Nothing here can be used: the long code is
-- known by its hash, the short one by a keyed hash.
create table device_requests (
  device_code_hash bytea primary key,
  user_code_mac bytea not null unique,
  client_id text not null references clients (client_id) on delete cascade,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Seconds that the device has to wait between two questions, and when it asked last.
  interval integer not null,
  polled_at timestamptz,
  -- Who decided, in which session, and what.
  user_id uuid references users (id) on delete cascade,
  -- Of account, application and consent together, as they were when it was allowed.
  epoch integer,
  sid uuid,
  auth_time timestamptz,
  allowed boolean,
  redeemed_at timestamptz
);
create index device_requests_expires_at on device_requests (expires_at);
create index device_requests_client_id on device_requests (client_id);
create index device_requests_user_id on device_requests (user_id);

-- Access tokens that applications have got on their own account (RFC 6749 §4.4), by the hash of the whole token.
create table service_tokens (
  hash bytea primary key,
  client_id text not null references clients (client_id) on delete cascade,
  epoch integer not null, -- the application's: when it has moved on, the token is dead
  expires_at timestamptz not null
);
create index service_tokens_expires_at on service_tokens (expires_at);
create index service_tokens_client_id on service_tokens (client_id);

-- Assertions by which applications have authenticated, until they have expired: none counts twice (RFC 7523 §3).
create table client_assertions (
  client_id text not null references clients (client_id) on delete cascade,
  jti_hash bytea not null,
  expires_at timestamptz not null,
  primary key (client_id, jti_hash)
);
create index client_assertions_expires_at on client_assertions (expires_at);

-- Down Migration
