-- Up Migration

-- Whether a passkey was shown or made in the session before what `methods` says: a later confirmation takes its place there, and whoever
-- has a passkey that is removed is to be out all the same.
alter table sessions add column passkey_before boolean not null default false;

-- Down Migration
