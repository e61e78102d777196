-- Digest of what the publisher printed about the entry when it was judged, by which version of the reader. If it prints something else now, the list
-- of judgements says so. Null in older rows, and if the snapshot had no details.
ALTER TABLE suppression ADD COLUMN details_version TEXT;
ALTER TABLE suppression ADD COLUMN details_digest TEXT;
-- The stored request of the last answer that the judgement changed. Null in older rows.
ALTER TABLE suppression_use ADD COLUMN last_request_id TEXT;
