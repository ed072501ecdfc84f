-- Up Migration

-- Cutting an agent off outlasts its row, which is forgotten when nobody uses it: the agent comes back under the same address.
alter table api_exclusions drop constraint api_exclusions_client_id_fkey;

-- Down Migration
