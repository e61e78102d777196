-- When a publication was published, who says so, and when its publisher's own host last gave or confirmed its bytes.
ALTER TABLE source_snapshot ADD COLUMN published_at TEXT;
ALTER TABLE source_snapshot ADD COLUMN published_from TEXT CHECK (published_from IN ('CONTENT', 'FILE_NAME', 'LAST_MODIFIED', 'STATED'));
ALTER TABLE source_snapshot ADD COLUMN confirmed_at TEXT;
-- WHOLE or UNDER_LEAST, as the import judged it; null where an earlier release imported it.
ALTER TABLE source_snapshot ADD COLUMN size TEXT CHECK (size IN ('WHOLE', 'UNDER_LEAST'));
-- 1 where a live directory would have refused this publication and a test directory took it.
ALTER TABLE source_snapshot ADD COLUMN is_sample INTEGER NOT NULL DEFAULT 0 CHECK (is_sample IN (0, 1));
-- JSON array of {what, reason, at}: what the operator accepted of these bytes.
ALTER TABLE source_snapshot ADD COLUMN acceptances TEXT NOT NULL DEFAULT '[]';

-- The first retrieval and the last confirmation of the same bytes.
CREATE INDEX source_snapshot_of_bytes ON source_snapshot (source_id, raw_sha256, retrieved_at);

-- What earlier releases read from the bytes or the file name is the publication time.
UPDATE source_snapshot SET
  published_at = source_timestamp,
  published_from = CASE WHEN source_id IN ('US_SAM_EXCLUSIONS', 'UK_COMPANIES_HOUSE') THEN 'FILE_NAME' ELSE 'CONTENT' END
WHERE source_timestamp IS NOT NULL
  AND source_id IN ('UK_COMPANIES_HOUSE', 'UK_SANCTIONS_LIST', 'US_OFAC_CONSOLIDATED', 'US_OFAC_SDN', 'US_SAM_EXCLUSIONS', 'US_TRADE_CSL');

-- Append-only: each time an operator accepted a publication that would have been refused or stale, and why.
CREATE TABLE source_acceptance (
  id INTEGER PRIMARY KEY,
  source_id TEXT NOT NULL,
  at TEXT NOT NULL,
  raw_sha256 TEXT NOT NULL,
  what TEXT NOT NULL CHECK (what IN ('OLD', 'SMALL')),
  reason TEXT NOT NULL,
  snapshot_id TEXT NOT NULL
) STRICT;

CREATE INDEX source_acceptance_of ON source_acceptance (source_id, id);
CREATE INDEX source_acceptance_of_bytes ON source_acceptance (source_id, raw_sha256, id);
