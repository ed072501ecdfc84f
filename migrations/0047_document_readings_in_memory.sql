-- Up Migration
-- Each process bounds by itself how many documents of agents it reads at once.
drop table document_readings;

-- Down Migration
