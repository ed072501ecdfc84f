-- Up Migration

-- What operators look for: accounts and applications by the beginning of a name, latest first, and the few that are
-- out of the ordinary. The pattern operators go by bytes, whatever the database's collation.
create index users_created_at on users (created_at, id);
create index users_email_pattern on users (email_key text_pattern_ops);
create index users_name_pattern on users (lower(name) text_pattern_ops);
create index users_operator on users (id) where operator;
create index users_suspended on users (id) where suspended_at is not null;
create index clients_created_at on clients (created_at, client_id);
create index clients_name_pattern on clients (lower(name) text_pattern_ops);
create index clients_suspended on clients (client_id) where suspended_at is not null;
create index consents_of_client on consents (client_id) where withdrawn_at is null;

-- The audit log by what, by whom and from where; events_at, events_user_id and events_client_id are there already.
create index events_kind on events (kind, at);
create index events_actor_id on events (actor_id, at) where actor_id is not null;
create index events_address on events (address, at) where address is not null;

-- Addresses are forgotten earlier than what they belong to.
create index events_to_forget on events (at) where address is not null;
create index sessions_to_forget on sessions (auth_time) where address <> '';

-- Down Migration
