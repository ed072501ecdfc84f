-- Up Migration

-- Wrong passwords since the last right one (D60): no time heals them. The key is the id of an account, or a keyed hash of
-- an email that no account has, which is forgotten some time after the last try.
create table password_guesses (
  key bytea primary key,
  wrong integer not null,
  forget_at timestamptz
);
create index password_guesses_forget_at on password_guesses (forget_at) where forget_at is not null;

-- Down Migration
