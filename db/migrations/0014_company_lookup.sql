-- Requests made of a register's service with one key, counted by the second they were sent in: their sum over the last minutes is the
-- budget that all processes on this database share and that no restart forgets. key_digest is SHA-256 of service and key. Seconds out
-- of the window are purged.
CREATE TABLE register_request_count (
  key_digest TEXT NOT NULL,
  second INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  PRIMARY KEY (key_digest, second)
) STRICT, WITHOUT ROWID;

-- Until when a service is not asked with one key, and why. failures counts what went wrong in a row; the row goes with the next answer.
CREATE TABLE register_service_pause (
  key_digest TEXT PRIMARY KEY,
  until TEXT NOT NULL,
  reason TEXT NOT NULL,
  failures INTEGER NOT NULL
) STRICT;

-- The newest answer of a register's service to one address, byte for byte: what evidence digests. id runs upward with each answer, so
-- the oldest make room.
CREATE TABLE register_answer (
  id INTEGER PRIMARY KEY,
  source_url TEXT NOT NULL UNIQUE,
  status INTEGER NOT NULL CHECK (status IN (200, 404)),
  body BLOB NOT NULL,
  etag TEXT,
  raw_sha256 TEXT NOT NULL,
  retrieved_at TEXT NOT NULL
) STRICT;
