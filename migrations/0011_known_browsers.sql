-- Up Migration

-- Browsers that an account has signed in with carry this number, sealed; it grows when none of them is to count any more.
alter table users add column browser_epoch integer not null default 0;

-- Down Migration
