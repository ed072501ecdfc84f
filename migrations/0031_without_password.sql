-- Up Migration

-- An account may have no password: then it is entered by passkeys and recovery codes alone.
alter table users
  alter column password_hash drop not null;

-- Whether the passkeys go, too, when a second factor is reset.
alter table second_factor_resets
  add column passkeys boolean not null default false;

-- Down Migration
