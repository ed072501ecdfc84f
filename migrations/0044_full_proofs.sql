-- Up Migration

-- When all that the account asks for was shown in the session, where that is longer ago than its last proof: a code added in place
-- is a proof, and not all of them. Null: at `auth_time`.
alter table sessions add column fully_proven_at timestamptz;

-- Down Migration
