-- Up Migration

-- Times come from the service's clock as parameters; no default asks the database for one.
-- Epochs: accounts, applications and consents each count up when all that hangs on them must die at once. A grant
-- copies the sum of the three; since each only grows, the sum is unchanged exactly while none has moved.

create table users (
  id uuid primary key,
  email text not null,
  email_key text not null unique,
  name text not null,
  phone text,
  email_verified boolean not null,
  password_hash text not null,
  operator boolean not null,
  epoch integer not null default 0,
  suspended_at timestamptz,
  profile_updated_at timestamptz not null,
  created_at timestamptz not null
);

create table clients (
  client_id text primary key,
  owner_id uuid not null references users (id) on delete cascade,
  name text not null,
  type text not null check (type in ('confidential', 'public')),
  redirect_uris text[] not null,
  scopes text[] not null,
  standard boolean not null,
  refresh_grace integer not null check (refresh_grace between 0 and 60),
  epoch integer not null default 0,
  suspended_at timestamptz,
  created_at timestamptz not null
);
create index clients_owner_id on clients (owner_id);

-- Several secrets of one application may live at once, while it moves from one to the next.
create table client_secrets (
  client_id text not null references clients (client_id) on delete cascade,
  secret_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (client_id, secret_hash)
);

create table sessions (
  id_hash bytea primary key,
  sid uuid not null,
  user_id uuid not null references users (id) on delete cascade,
  user_epoch integer not null,
  auth_time timestamptz not null,
  expires_at timestamptz not null,
  address text not null,
  user_agent text not null
) with (fillfactor = 80); -- seen again and again: as with grants below
create index sessions_user_id on sessions (user_id);
create index sessions_expires_at on sessions (expires_at);

-- Withdrawing consent keeps the row: its epoch must go on growing. Rows of deleted applications are pruned later.
create table consents (
  user_id uuid not null references users (id) on delete cascade,
  client_id text not null,
  scopes text[] not null,
  epoch integer not null default 0,
  granted_at timestamptz not null,
  withdrawn_at timestamptz,
  primary key (user_id, client_id)
) with (fillfactor = 80);

-- One row for all that follows from one authorization, written when its code is redeemed: each refresh token is the
-- next generation.
-- Only columns without an index ever change, and a page keeps room for the next version of its rows (HOT).
-- No foreign keys: a deleted account or application kills its grants by not being there, pruning follows.
create table grants (
  id uuid primary key,
  client_id text not null,
  user_id uuid not null,
  epoch integer not null,
  generation integer not null,
  advanced_by bytea,
  created_at timestamptz not null,
  advanced_at timestamptz not null,
  revoked_at timestamptz
) with (fillfactor = 80);

-- Access tokens younger than their lifetime, known by the hash of the whole token.
create table access_tokens (
  hash bytea primary key,
  grant_id uuid not null,
  scope text not null,
  expires_at timestamptz not null
);
create index access_tokens_expires_at on access_tokens (expires_at);

-- Private keys are encrypted under SECRET_KEY.
create table signing_keys (
  kid text primary key,
  algorithm text not null unique,
  public_jwk jsonb not null,
  private_key_sealed text not null,
  created_at timestamptz not null
);

-- Wrong passwords, counted by a keyed hash of the account's email or of the address they came from: the count drains
-- with time, and this is when it will be empty. Unlogged: a count is not worth the wait for a disk, and a crash of the
-- database may forget it. Without an index on the time, and with room on each page, an update touches no index (HOT).
create unlogged table sign_in_failures (
  key bytea primary key,
  empty_at timestamptz not null
) with (fillfactor = 50);

-- Down Migration
