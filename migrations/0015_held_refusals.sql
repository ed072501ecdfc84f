-- Up Migration

-- Refusals of whoever holds something of the application (a code, a token, a former secret) without proving to be it:
-- any person who signs in holds a code. Folded as those of strangers, with a quota of their own.
alter table refusals add column held boolean not null default false;
drop index refusals_client_id;
create index refusals_client_id on refusals (client_id, authenticated, held, last_at);

-- Down Migration
