-- Imported publications of the restricted-party sources. The bytes lie in the snapshots folder; a row is never deleted.
CREATE TABLE source_snapshot (
  snapshot_id TEXT PRIMARY KEY,
  source_id TEXT NOT NULL,
  source_url TEXT NOT NULL,
  source_version TEXT NOT NULL,
  source_timestamp TEXT,
  retrieved_at TEXT NOT NULL,
  parser_version TEXT NOT NULL,
  raw_sha256 TEXT NOT NULL,
  parties_sha256 TEXT NOT NULL,
  counts TEXT NOT NULL,
  entries INTEGER NOT NULL,
  files TEXT NOT NULL,
  findings TEXT NOT NULL,
  imported_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('ACTIVE', 'KEPT', 'WITHDRAWN', 'DROPPED'))
) STRICT;

CREATE UNIQUE INDEX source_snapshot_one_active ON source_snapshot (source_id) WHERE state = 'ACTIVE';
CREATE INDEX source_snapshot_of ON source_snapshot (source_id, imported_at);

-- What became of the last try to import a source, whatever the outcome. schema_break stays until a publication is imported that is
-- not older than the one that could not be read; break_published is the time that one stated, if any.
CREATE TABLE source_attempt (
  source_id TEXT PRIMARY KEY,
  at TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('IMPORTED', 'REFUSED', 'ROLLED_BACK')),
  raw_sha256 TEXT NOT NULL,
  findings TEXT NOT NULL,
  schema_break INTEGER NOT NULL CHECK (schema_break IN (0, 1)),
  break_published TEXT
) STRICT;

-- Append-only history of the sources; its highest id tells a running server that something changed.
CREATE TABLE source_event (
  id INTEGER PRIMARY KEY,
  source_id TEXT NOT NULL,
  at TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('IMPORTED', 'REFUSED', 'ROLLED_BACK')),
  snapshot_id TEXT,
  raw_sha256 TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

CREATE INDEX source_event_of ON source_event (source_id, id);
