-- Up Migration

-- Mails on their way, each a letter sealed with SECRET_KEY: what it opens, nobody opens who has the database alone (D32).
-- A row goes when the mail server has taken the mail, has refused it for good, or when it is too late for it.
create table mails (
  id uuid primary key,
  -- The order in which they were written.
  number bigint generated always as identity,
  sealed text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Before this nobody tries: it waits, or somebody is at it and says so again and again.
  next_attempt_at timestamptz not null,
  attempts integer not null default 0
) with (fillfactor = 70);
create index mails_next_attempt_at on mails (next_attempt_at);
create index mails_expires_at on mails (expires_at);

-- What a session's codes are held to: the digest of the id that it began with. Signing in again gives the browser another
-- id, and the session goes on under its name; null while it has its first.
alter table sessions add column origin_hash bytea;
drop index sessions_user_id;
create index sessions_user_id_sid on sessions (user_id, sid);

-- Sessions that have just ended, to be looked at once more: what was being redeemed at that moment is there by then, and
-- its application is told, too.
create table ended_sessions (
  user_id uuid not null references users (id) on delete cascade,
  sid uuid not null,
  ended_at timestamptz not null,
  look_again_at timestamptz not null,
  primary key (user_id, sid)
);
create index ended_sessions_look_again_at on ended_sessions (look_again_at);

-- Down Migration
