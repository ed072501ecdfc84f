-- Up Migration

-- Held until somebody has looked at it, as applications are: suspended at this moment, at the word of this account.
alter table apis
  add column held_at timestamptz,
  add column held_by uuid;
create index apis_name_pattern on apis (lower(name) text_pattern_ops);

-- The API that something happened to.
alter table events add column api_id text;
create index events_api_id on events (api_id, at) where api_id is not null;

-- What a session did to an API, instead of to an application.
alter table session_changes
  alter column client_id drop not null,
  add column api_id text,
  add check (num_nonnulls(client_id, api_id) = 1);

-- An API on offer to another account, as applications are (transfer_offers).
create table api_transfer_offers (
  api_id text primary key references apis (api_id) on delete cascade,
  email text not null,
  recipient_id uuid references users (id) on delete set null,
  offered_at timestamptz not null,
  expires_at timestamptz not null,
  -- The session that made it, and the epoch of the account: it dies with everything else of that.
  sid uuid,
  owner_epoch integer not null
);
create index api_transfer_offers_recipient_id on api_transfer_offers (recipient_id);
create index api_transfer_offers_expires_at on api_transfer_offers (expires_at);

-- Down Migration
