-- Changes of a source's health as a running service judged it, one row a change. Rows are added and never changed; of each source the
-- writer keeps a stated number of the newest, so that one that comes and goes cannot fill the disk. from_health is null for the first.
CREATE TABLE source_health_event (
  id INTEGER PRIMARY KEY,
  source_id TEXT NOT NULL,
  at TEXT NOT NULL,
  from_health TEXT,
  to_health TEXT NOT NULL CHECK (to_health IN ('HEALTHY', 'STALE', 'SCHEMA_BREAK', 'UNAVAILABLE', 'DISABLED')),
  reason_codes TEXT NOT NULL,
  snapshot_id TEXT
) STRICT;

CREATE INDEX source_health_event_of ON source_health_event (source_id, id);
