-- Up Migration

-- What people choose for themselves: their language (null while they have not), and a picture of their own, by the hash
-- of its content; without one its place is taken by their initials.
alter table users
  add column locale text check (locale in ('fr', 'en')),
  add column picture_hash text references pictures (hash);
create index users_picture_hash on users (picture_hash) where picture_hash is not null;

-- Where a session was last seen, and when: gathered in the processes and written in batches. `address` follows it.
alter table sessions add column last_seen_at timestamptz;

-- The session that a grant began in, so that what a session led to can be ended with it. It is written once, and has no
-- index: ending a session that somebody else had is rare, and inserting grants is not.
alter table grants add column sid uuid;

alter table consents add column last_used_at timestamptz;

-- Which data each application received about whom, and when. No foreign key on the application: what was given stays
-- given when it is deleted, under the name it had. `fields` are the claims' names, separated by spaces.
create table disclosures (
  user_id uuid not null references users (id) on delete cascade,
  client_id text not null,
  fields text not null,
  application_name text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  times bigint not null,
  primary key (user_id, client_id, fields)
) with (fillfactor = 80);

-- Down Migration
