-- An operator's recorded judgement that a screened party is not a listed entry. Rows are only ever added: what ends a judgement is its
-- own expires_at, a REVOKED event, or another entry_hash of the listed entry.
CREATE TABLE suppression (
  suppression_id TEXT PRIMARY KEY,
  party_digest TEXT NOT NULL,
  -- The screened party as it was judged, JSON.
  party TEXT NOT NULL,
  source_id TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  entry_hash TEXT NOT NULL,
  author TEXT NOT NULL CHECK (length(author) BETWEEN 1 AND 160),
  reason TEXT NOT NULL CHECK (length(reason) BETWEEN 1 AND 1000),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  CHECK (expires_at > created_at)
) STRICT;

CREATE INDEX suppression_of ON suppression (party_digest, source_id, entry_id, entry_hash);

-- Append-only history; its highest id tells a running server that something changed.
CREATE TABLE suppression_event (
  id INTEGER PRIMARY KEY,
  suppression_id TEXT NOT NULL REFERENCES suppression (suppression_id),
  at TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('ADDED', 'REVOKED')),
  author TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT;

-- Each is added once and revoked at most once.
CREATE UNIQUE INDEX suppression_event_once ON suppression_event (suppression_id, kind);
