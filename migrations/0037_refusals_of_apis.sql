-- Up Migration

-- A refused request belongs to the application that it came from or named, to the API that it was about, or to both.
alter table refusals alter column client_id drop not null;
alter table refusals add column api_id text references apis (api_id) on delete cascade;
alter table refusals add constraint refusals_of_somebody check (client_id is not null or api_id is not null);

-- The fingerprint holds the API, so that equal refusals of an API alone are folded as well.
drop index refusals_folded;
create unique index refusals_folded on refusals (client_id, fingerprint) nulls not distinct where not authenticated;
create index refusals_api_id on refusals (api_id, authenticated, held, last_at) where api_id is not null;
create index refusals_of_api on refusals (api_id, authenticated, held, last_at) where client_id is null;

-- Down Migration
