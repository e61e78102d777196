-- Of equal response digests always the same delivery is found, also after a VACUUM.
DROP INDEX delivery_response;
CREATE INDEX delivery_response ON delivery (response_digest, request_id) WHERE response_digest IS NOT NULL;

-- An agent comes back to sales a limited number of times in 24 hours.
CREATE INDEX sales_opt_out_return ON sales_opt_out (agent_id, id) WHERE action = 'OPT_IN';

-- Digest of the document whose verification the entry states. NULL: imported before it was kept, so no document is known to be this one.
ALTER TABLE wallet_entry ADD COLUMN document_digest TEXT;

-- One row: what all wallets hold together, and the answers that are kept for repetitions. It changes with their rows, so that no limit is
-- checked by counting.
CREATE TABLE wallet_total (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  entries INTEGER NOT NULL CHECK (entries >= 0),
  document_bytes INTEGER NOT NULL CHECK (document_bytes >= 0),
  answers INTEGER NOT NULL CHECK (answers >= 0)
) STRICT;
INSERT INTO wallet_total (id, entries, document_bytes, answers)
  SELECT 1, coalesce(sum(entries), 0), coalesce(sum(document_bytes), 0), (SELECT count(*) FROM wallet_request) FROM wallet_usage;
