-- Up Migration

-- How often something happened, a row for each day: numbers alone, of nobody. Each process adds what it has gathered. A
-- day is named by its beginning, and divided into its hours, both in UTC.
create table service_activity (
  kind text not null,
  day timestamptz not null,
  total bigint not null,
  hours integer[] not null,
  primary key (kind, day)
) with (fillfactor = 70);

-- The same of an application. What it has at a time, its live grants, is a figure of the day, without hours.
create table client_activity (
  client_id text not null references clients (client_id) on delete cascade,
  kind text not null,
  day timestamptz not null,
  total bigint not null,
  hours integer[] not null,
  primary key (client_id, kind, day)
) with (fillfactor = 70);
create index client_activity_day on client_activity (day);

-- How many answers took how long: the buckets of /metrics.
create table answer_times (
  route text not null,
  day timestamptz not null,
  buckets bigint[] not null,
  primary key (route, day)
) with (fillfactor = 70);

-- Down Migration
