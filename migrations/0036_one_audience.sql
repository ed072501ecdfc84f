-- Up Migration

-- Who was cut off may be let in again: what was given before stays ended.
alter table api_exclusions add column lifted_at timestamptz;

-- What applications may ask for is the APIs' owners' to say (0034): no longer a list of the application's own.
delete from service_tokens;
alter table service_tokens alter column api_id set not null, add column created_at timestamptz not null;
alter table clients drop column resources, drop column service_scopes;

-- Down Migration
