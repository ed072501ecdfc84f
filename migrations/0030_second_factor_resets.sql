-- Up Migration

-- A second factor that operators are about to take away, and when. Until then its account can stop that; the link in the mail
-- that says so is known by its hash.
create table second_factor_resets (
  user_id uuid primary key references users on delete cascade,
  stop_hash bytea not null unique,
  asked_at timestamptz not null,
  due_at timestamptz not null
);
create index second_factor_resets_due_at on second_factor_resets (due_at);

-- Down Migration
