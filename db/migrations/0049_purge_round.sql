-- The round that removes expired records: one process at a time does it, under a lease. It always has its one row.
CREATE TABLE purge_round (
  id TEXT PRIMARY KEY CHECK (id = 'EXPIRED'),
  lease_owner TEXT,
  -- Of the next round, or the end of the lease.
  look_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO purge_round (id, look_at) VALUES ('EXPIRED', '2026-01-01T00:00:00.000Z');
