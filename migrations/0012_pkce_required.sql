-- Up Migration

-- A confidential application whose authorization requests have to carry a code_challenge; of public ones all have to.
alter table clients add column pkce_required boolean not null default false;

-- Down Migration
