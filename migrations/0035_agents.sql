-- Up Migration

-- What is kept of agents beside their row of clients, which nobody owns: how they came here, and how old what is known of
-- them is.
create table agents (
  client_id text primary key references clients (client_id) on delete cascade,
  -- By a document at their own address, or by registering themselves (RFC 7591).
  way text not null check (way in ('document', 'registration')),
  -- Where the document is: scheme, host and port.
  origin text,
  -- The document as it was read last; until when it need not be read again.
  etag text,
  fetched_at timestamptz,
  fresh_until timestamptz,
  created_at timestamptz not null,
  check ((way = 'document') = (origin is not null and fetched_at is not null and fresh_until is not null))
);
create index agents_created_at on agents (created_at, client_id);
create index agents_fetched_at on agents (fetched_at) where way = 'document';
create index agents_origin on agents (origin text_pattern_ops) where way = 'document';

-- Down Migration
