-- Up Migration

-- The last four characters of a secret, by which its owner recognises it where it is used: of more than 43 random ones,
-- so nobody comes nearer to it. Null for secrets given before.
alter table client_secrets add column ending text;

-- Down Migration
