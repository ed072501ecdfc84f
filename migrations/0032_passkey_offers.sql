-- Up Migration

-- Before when an account is not offered a passkey again after its password; never where that is infinity.
alter table users
  add column passkey_offer_at timestamptz;

-- Down Migration
