-- Up Migration

-- The network that a device code was requested from, shown to the user who decides (RFC 10027 §6.1.14).
alter table device_requests add column requested_from text not null default '';

-- Down Migration
