-- Up Migration

-- What a form was answered with, for the seconds in which an impatient person may send it again. Sealed with what only the
-- page of the form knows: nothing that could be used is kept.
alter table used_forms
  add column answer text;

-- Down Migration
