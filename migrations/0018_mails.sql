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

-- Down Migration
