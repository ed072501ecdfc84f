-- Up Migration

-- A consent form is good for one decision. Whoever sends it again gets the code of the first time, which is made anew
-- from when that was and what application and consent said together: nothing that could be used is kept.
alter table used_forms
  add column answered_at timestamptz,
  add column epoch integer;

-- Down Migration
