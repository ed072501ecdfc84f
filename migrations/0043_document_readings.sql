-- Up Migration

-- The places in which agents' documents are read: as many rows as there may be at once.
create table document_readings (
  place smallint primary key,
  -- What holds it, by a name of its own, and for whom.
  reading uuid,
  asker bytea,
  pushed boolean,
  taken_until timestamptz
);
insert into document_readings (place) select * from generate_series(1, 10);

-- Down Migration
