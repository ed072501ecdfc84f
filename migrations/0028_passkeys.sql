-- Up Migration

-- Passkeys: discoverable credentials of WebAuthn. Nothing here opens anything: the private key never leaves its authenticator.
create table passkeys (
  credential_id bytea primary key,
  user_id uuid not null references users on delete cascade,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  -- Whether it may be synced (it stays what it was made as), and whether it was when it was last used.
  synced boolean not null,
  backed_up boolean not null,
  aaguid uuid not null,
  name text not null,
  created_at timestamptz not null,
  -- The session that it was made in, for its owner to say that it was not them.
  sid uuid,
  last_used_at timestamptz
);
create index passkeys_user_id on passkeys (user_id);

-- How many an account has: kept beside it, so that whatever depends on their number is decided by whoever holds its row.
alter table users
  add column passkey_count int not null default 0 check (passkey_count >= 0);

-- Down Migration
