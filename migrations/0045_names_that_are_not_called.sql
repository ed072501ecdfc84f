-- Up Migration

-- Whether a name is not known or not public is one answer now: which names the network around the service knows is not told.
update logout_deliveries set last_fault = 'not-public' where last_fault = 'unknown-name';

-- Down Migration
