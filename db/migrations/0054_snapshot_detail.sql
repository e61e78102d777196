-- The file with what the publisher prints about each entry of a snapshot: digest of its header and index. Machines that share a database build
-- their files apart, so a snapshot may have several.
CREATE TABLE snapshot_detail (
  snapshot_id TEXT NOT NULL REFERENCES source_snapshot (snapshot_id),
  details_version TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (snapshot_id, details_version, sha256)
) STRICT;
