-- Up Migration

-- Why the last attempt failed is kept as its kind, which is said in the language of whoever reads it; the detail is the status of an
-- answer, or the words of a connection that failed.
alter table logout_deliveries add column last_fault text;
alter table logout_deliveries rename column last_error to last_detail;
update logout_deliveries set last_fault = 'failed' where last_detail is not null;

-- Down Migration
