-- What became of the last round that asked a publisher for news, one row a source. checked_at is the last time the publisher answered
-- properly, and checked_snapshot_id the snapshot this answer brought or confirmed: for another one it proves nothing.
CREATE TABLE source_check (
  source_id TEXT PRIMARY KEY,
  attempted_at TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('IMPORTED', 'NOT_MODIFIED', 'REFUSED', 'FAILED')),
  code TEXT,
  detail TEXT,
  failures INTEGER NOT NULL CHECK (failures >= 0),
  retry_after_until TEXT,
  checked_at TEXT,
  checked_snapshot_id TEXT,
  files_checked_at TEXT,
  validators TEXT NOT NULL,
  marker TEXT,
  CHECK ((checked_at IS NULL) = (checked_snapshot_id IS NULL))
) STRICT;
