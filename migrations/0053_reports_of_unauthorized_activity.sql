-- Up Migration

-- Reporting unauthorized activity removes what was added since a session started. It restores no former values, and
-- suspends nothing.
drop table session_changes;
alter table clients
  drop column held_at,
  drop column held_by;
alter table apis
  drop column held_at,
  drop column held_by;

-- When a session started. Signing in again in the same browser continues it.
alter table sessions add column started_at timestamptz;
update sessions set started_at = auth_time;
alter table sessions alter column started_at set not null;

-- What was added is found by its time.
alter table passkeys drop column sid;
alter table recovery_codes drop column sid;
alter table users drop column totp_sid;
alter table transfer_offers drop column sid;
alter table api_transfer_offers drop column sid;

-- When a redirect URI or a key was added to a client or an API after its registration. Kept for 38 days.
create table added_entries (
  -- The client_id or api_id.
  holder text not null,
  -- The URI, or the key as JSON.
  entry text not null,
  added_at timestamptz not null,
  primary key (holder, entry)
);
create index added_entries_added_at on added_entries (added_at);

-- Down Migration
