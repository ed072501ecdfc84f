-- Up Migration

-- An application may demand a second factor of everybody who signs in with it.
alter table clients add column second_factor_required boolean not null default false;

-- Down Migration
