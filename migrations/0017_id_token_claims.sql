-- Up Migration

-- Whether id_tokens carry the claims of the granted scopes; null: in standard mode they do, in contract mode not.
alter table clients add column id_token_claims boolean;

-- Down Migration
