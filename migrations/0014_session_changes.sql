-- Up Migration

-- What a session added or changed, in so far as « this was not me » has to undo it: what was there before and after. No
-- foreign key on the application: what was done to one that is gone does no harm.
create table session_changes (
  id bigint generated always as identity primary key,
  user_id uuid not null references users (id) on delete cascade,
  sid uuid not null,
  -- When whoever was in the session had last proved who they are.
  proved_at timestamptz not null,
  at timestamptz not null,
  expires_at timestamptz not null,
  kind text not null,
  client_id text not null,
  detail jsonb not null
);
create index session_changes_user_id on session_changes (user_id, at);
create index session_changes_expires_at on session_changes (expires_at);

-- The session that made an offer: what comes of it is that session's, too.
alter table transfer_offers add column sid uuid;

-- Held until somebody has looked at it: suspended at this moment, at the word of this account.
alter table clients
  add column held_at timestamptz,
  add column held_by uuid;

-- Down Migration
