-- Up Migration

-- Refused requests, one row each, for the owner of the client or API: the reason as a kind and facts, which each language
-- puts into words. Never a secret, a code or a token. The oldest beyond a quota per subject are deleted (store/refusals.ts).
drop table refusals;
create table refusals (
  id bigint generated always as identity primary key,
  -- Null where an API was refused.
  client_id text references clients (client_id) on delete cascade,
  -- The API that was refused, or that the client's request was about.
  api_id text references apis (api_id) on delete cascade,
  at timestamptz not null,
  -- The client or API had authenticated.
  authenticated boolean not null,
  -- It had not, but presented a code, token or secret of the client or API.
  held boolean not null,
  endpoint text not null,
  error text not null,
  kind text not null,
  facts jsonb not null,
  -- Empty once it was erased.
  address text not null,
  incident text not null,
  check (client_id is not null or api_id is not null)
);
create index refusals_client_id on refusals (client_id, at) where client_id is not null;
create index refusals_api_id on refusals (api_id, at) where api_id is not null;
create index refusals_at on refusals (at);
create index refusals_incident on refusals (incident);

-- Down Migration
