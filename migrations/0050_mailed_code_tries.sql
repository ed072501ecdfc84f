-- Up Migration

-- Wrong codes are counted for the account and the network, whatever email they come from.
alter table one_time_tokens drop column code_tries;

-- Down Migration
