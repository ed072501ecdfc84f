-- Up Migration

-- What was sent by mail and opens something once: of the link only a hash, of the code to type a keyed one, since six
-- digits are found by trying.
create table one_time_tokens (
  hash bytea primary key,
  kind text not null,
  user_id uuid not null references users (id) on delete cascade,
  -- The mailbox that it was sent to: for a change of address the new one.
  email text not null,
  -- Where set, the token dies with everything else of the account; a way back in must not be closed by the intruder.
  user_epoch integer,
  code_hash bytea,
  code_tries integer not null default 0,
  detail jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index one_time_tokens_user_id on one_time_tokens (user_id, kind);
create index one_time_tokens_expires_at on one_time_tokens (expires_at);

-- How much mail went to a mailbox, and what was asked from an address: counts that drain, as those of wrong passwords.
create table allowances (
  key bytea primary key,
  empty_at timestamptz not null
);
create index allowances_empty_at on allowances (empty_at);

-- Down Migration
