-- A unit that writes leaves into the log locks this table. No unit reads or writes a row of it.
CREATE TABLE log_order (id bigint);

-- Says whether a unit whose COMMIT got no answer was committed. The unit inserts 1. A process that asks inserts 0, unless a row is there, and then
-- reads.
CREATE TABLE unit_outcome (
  id text COLLATE "C" PRIMARY KEY,
  committed bigint NOT NULL CHECK (committed IN (0, 1)),
  at text COLLATE "C" NOT NULL
);
CREATE INDEX unit_outcome_at ON unit_outcome (at, id);

-- The order of insertion, which SQLite keeps in a table without a number of its own.
ALTER TABLE used_nonce ADD COLUMN rowid bigint GENERATED ALWAYS AS IDENTITY UNIQUE;
