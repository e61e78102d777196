-- The bytes of lists, where processes on several machines share the database. Where they share a file, these tables stay empty.

-- One part of a file, compressed with zstd. A file is named by the SHA-256 of its content.
CREATE TABLE list_part (
  sha256 TEXT NOT NULL,
  part INTEGER NOT NULL CHECK (part >= 0),
  bytes BLOB NOT NULL,
  PRIMARY KEY (sha256, part)
) STRICT;

-- Files that an import stores now, or stored before it was killed. A file that a snapshot names has no row here.
CREATE TABLE list_upload (
  sha256 TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- The files of a snapshot: those of its publisher, the manifest and the parties.
CREATE TABLE list_file (
  snapshot_id TEXT NOT NULL REFERENCES source_snapshot (snapshot_id),
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  parts INTEGER NOT NULL CHECK (parts >= 0),
  PRIMARY KEY (snapshot_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX list_file_by_content ON list_file (sha256);

-- When the active snapshot of a list became the active one.
CREATE TABLE list_activation (
  source_id TEXT PRIMARY KEY,
  snapshot_id TEXT NOT NULL,
  activated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- From which snapshot of a list a process answers, and since when.
CREATE TABLE instance_snapshot (
  instance_id TEXT NOT NULL,
  source_id TEXT NOT NULL,
  snapshot_id TEXT NOT NULL,
  since TEXT NOT NULL,
  PRIMARY KEY (instance_id, source_id)
) STRICT, WITHOUT ROWID;
