-- Up Migration
update clients set refresh_grace = 60 where owner_id is null;

-- Down Migration
