-- Up Migration

-- An offer dies with everything else of the account that made it: at a new password, at a suspension.
alter table transfer_offers add column owner_epoch integer;
update transfer_offers t set owner_epoch = u.epoch from clients c join users u on u.id = c.owner_id
where c.client_id = t.client_id;
alter table transfer_offers alter column owner_epoch set not null;

-- Down Migration
