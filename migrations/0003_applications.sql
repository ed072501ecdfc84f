-- Up Migration

-- Pictures of accounts and applications, by the hash of their content, as their addresses have it (base64url).
create table pictures (
  hash text primary key,
  content bytea not null,
  type text not null,
  -- When it was last put somewhere; what is neither new nor shown anywhere goes.
  used_at timestamptz not null
);

-- What an application shows of itself where it asks for consent, and whether an operator knows it.
alter table clients
  add column logo text references pictures (hash),
  add column home_page text,
  add column privacy_policy text,
  add column terms_of_service text,
  add column verified_at timestamptz,
  -- How many secrets it was ever given: each has a number that is not given again.
  add column secrets_given integer not null default 0;
create index clients_logo on clients (logo) where logo is not null;

-- Secrets carry no mark by which a person could tell them apart: number and dates do.
alter table client_secrets
  add column number integer not null default 1,
  add column last_used_at timestamptz;
update clients c set secrets_given = (select count(*) from client_secrets s where s.client_id = c.client_id);
update client_secrets s set number = n.number
from (select client_id, secret_hash, row_number() over (partition by client_id order by created_at) as number
  from client_secrets) n
where n.client_id = s.client_id and n.secret_hash = s.secret_hash;

-- Forms that show a secret are good for one use; what was used is remembered as long as its session can last.
create table used_forms (
  key bytea primary key,
  expires_at timestamptz not null
);
create index used_forms_expires_at on used_forms (expires_at);

-- An application on offer to another account. The address is kept as it was typed; whether there is an account behind
-- it is nobody's business, so an offer to nobody looks the same to whoever made it.
create table transfer_offers (
  client_id text primary key references clients (client_id) on delete cascade,
  email text not null,
  recipient_id uuid references users (id) on delete set null,
  offered_at timestamptz not null,
  expires_at timestamptz not null
);
create index transfer_offers_recipient_id on transfer_offers (recipient_id);
create index transfer_offers_expires_at on transfer_offers (expires_at);

-- Down Migration
