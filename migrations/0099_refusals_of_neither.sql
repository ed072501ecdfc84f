-- Up Migration

-- A refusal whose incident code was shown on a page is kept even if it belongs to no client or API, so that administrators find it.
alter table refusals drop constraint refusals_check;
create index refusals_of_neither on refusals (at) where client_id is null and api_id is null;

-- Down Migration
