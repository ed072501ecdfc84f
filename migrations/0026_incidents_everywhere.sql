-- Up Migration

-- Operators look an incident code up without knowing whose application it was shown for.
create index refusals_incidents on refusals using gin (incidents);

-- Down Migration
