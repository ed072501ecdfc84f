-- Up Migration

-- What happened to accounts and applications, for those who look after them. No foreign keys: what is said of an account
-- outlives it, until its time to be kept is over.
create table events (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  kind text not null,
  -- Who did it, and whom and what it was done to.
  actor_id uuid,
  user_id uuid,
  client_id text,
  address text,
  detail jsonb not null
);
create index events_at on events (at);
create index events_user_id on events (user_id, at) where user_id is not null;
create index events_client_id on events (client_id, at) where client_id is not null;

-- Down Migration
