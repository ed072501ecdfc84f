-- Up Migration

-- A second factor beside the password. One authenticator app an account: its secret is sealed, and the last accepted step
-- of its clock is kept, so that a code works once (RFC 6238 §5.2).
alter table users
  add column totp_secret text,
  add column totp_step bigint,
  add column totp_since timestamptz,
  add constraint users_totp_check check ((totp_secret is null) = (totp_since is null));

create table recovery_codes (
  hash bytea primary key,
  user_id uuid not null references users on delete cascade,
  created_at timestamptz not null,
  used_at timestamptz
);
create index recovery_codes_user_id on recovery_codes (user_id);

-- Browsers in which the password is enough, bound to the number that ends all browsers of an account at once.
create table trusted_browsers (
  hash bytea primary key,
  id uuid not null unique,
  user_id uuid not null references users on delete cascade,
  browser_epoch int not null,
  user_agent text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index trusted_browsers_user_id on trusted_browsers (user_id);
create index trusted_browsers_expires_at on trusted_browsers (expires_at);

-- What its person showed to get in; and whoever let a device in.
alter table sessions
  add column methods text[] not null default '{pwd}';
alter table device_requests
  add column methods text[] not null default '{pwd}';

-- Down Migration
