-- Up Migration

-- Applications that have to be told that a session of theirs is over (OpenID Connect Back-Channel Logout): kept until
-- they have said that they know, or until it makes no sense any more to try.
create table logout_deliveries (
  id bigint generated always as identity primary key,
  client_id text not null,
  user_id uuid not null,
  sid uuid not null,
  created_at timestamptz not null,
  attempts integer not null default 0,
  -- When to try (again); null: never again.
  next_attempt_at timestamptz,
  delivered_at timestamptz,
  -- Why the last attempt failed, in words for the application's owner.
  last_error text
);
create index logout_deliveries_next_attempt_at on logout_deliveries (next_attempt_at) where next_attempt_at is not null;
create index logout_deliveries_client_id on logout_deliveries (client_id, created_at);
create index logout_deliveries_created_at on logout_deliveries (created_at);

-- Down Migration
