-- Up Migration

-- The session that an app was set up in, and that recovery codes were made in, for their owner to say that it was not them.
alter table users
  add column totp_sid uuid;
alter table recovery_codes
  add column sid uuid;

-- Down Migration
