-- Up Migration

-- Why requests of an application were refused, for its owner: kind and facts, which each language puts into words.
-- Never a secret, a code or a token. Anybody can name a client_id, so refusals of whoever did not prove to be the
-- application have a quota of their own, and equal ones are folded into one row.
create table refusals (
  id bigint generated always as identity primary key,
  client_id text not null references clients (client_id) on delete cascade,
  authenticated boolean not null,
  -- The hash of what makes two refusals equal.
  fingerprint bytea not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  count integer not null,
  endpoint text not null,
  error text not null,
  kind text not null,
  facts jsonb not null,
  -- Of the last one; incident codes newest first.
  address text not null,
  incidents text[] not null
);
create unique index refusals_folded on refusals (client_id, fingerprint) where not authenticated;
create index refusals_client_id on refusals (client_id, authenticated, last_at);
create index refusals_last_at on refusals (last_at);

-- What an application was seen doing well, or leaving out, and when for the first and for the last time.
create table client_observations (
  client_id text not null references clients (client_id) on delete cascade,
  signal text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (client_id, signal)
);

-- Down Migration
