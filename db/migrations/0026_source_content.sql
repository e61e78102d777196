-- What a publication was read from, whatever its files are called: SHA-256 of each file that was used, unpacked, in hex, sorted, one space
-- between. The same list copied under other names, or beside other files, is the same publication.
ALTER TABLE source_snapshot ADD COLUMN content TEXT;
ALTER TABLE source_acceptance ADD COLUMN content TEXT;

-- Of earlier releases all files are known, used or not, packed as they came.
UPDATE source_snapshot SET content = (
  SELECT group_concat(json_extract(value, '$.sha256'), ' ' ORDER BY json_extract(value, '$.sha256')) FROM json_each(source_snapshot.files)
);
UPDATE source_acceptance SET content = (
  SELECT content FROM source_snapshot WHERE source_snapshot.snapshot_id = source_acceptance.snapshot_id
);

CREATE INDEX source_snapshot_of_content ON source_snapshot (source_id, content, retrieved_at);
CREATE INDEX source_acceptance_of_content ON source_acceptance (source_id, content, id);
