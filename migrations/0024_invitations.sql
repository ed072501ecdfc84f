-- Up Migration

-- When the password was last chosen; null where that was before it was kept, or never. And when somebody was invited who
-- has not chosen one yet: their account has a password that nobody knows.
alter table users
  add column password_chosen_at timestamptz,
  add column invited_at timestamptz;

-- Down Migration
