-- What agents keep of the proofs they hold. An agent is never deleted, so no row names one that does not exist. Every table has an index by
-- the end of its rows, by which expired ones are removed.

CREATE TABLE wallet_entry (
  wallet_entry_id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('SANDBOX', 'LIVE')),
  -- Counts up within one wallet: the order of its inventory.
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  artifact_digest TEXT NOT NULL,
  issuer TEXT NOT NULL,
  -- The product whose purchase it may replace.
  product TEXT,
  -- JSON: digest(C14N(value)) by pointer into the request of that product.
  subject_digests TEXT NOT NULL,
  signing_key_id TEXT NOT NULL,
  -- Core digest of the answer that it proves: a change authorization's token is found by it.
  reference TEXT,
  decision TEXT,
  -- JSON: what was found when it was verified.
  verification TEXT NOT NULL,
  valid_as_of TEXT,
  valid_until TEXT,
  imported_at TEXT NOT NULL,
  until TEXT NOT NULL,
  -- Zero without a document.
  document_bytes INTEGER NOT NULL CHECK (document_bytes >= 0)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX wallet_entry_artifact ON wallet_entry (agent_id, environment, artifact_digest);
CREATE UNIQUE INDEX wallet_entry_order ON wallet_entry (agent_id, environment, seq);
CREATE INDEX wallet_entry_own_end ON wallet_entry (agent_id, environment, until, wallet_entry_id);
CREATE INDEX wallet_entry_end ON wallet_entry (until, wallet_entry_id);

CREATE TABLE wallet_document (
  wallet_entry_id TEXT PRIMARY KEY,
  bytes BLOB NOT NULL
) STRICT;

-- One row for each wallet, changed with its entries, so that no limit is checked by counting.
CREATE TABLE wallet_usage (
  agent_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  last_seq INTEGER NOT NULL,
  entries INTEGER NOT NULL CHECK (entries >= 0),
  document_bytes INTEGER NOT NULL CHECK (document_bytes >= 0),
  -- The UTC hour of `imports`, such as 2026-11-23T10.
  hour TEXT NOT NULL,
  imports INTEGER NOT NULL,
  PRIMARY KEY (agent_id, environment)
) STRICT, WITHOUT ROWID;

-- Answers by idempotency key, for repetitions.
CREATE TABLE wallet_request (
  agent_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  response TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (agent_id, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX wallet_request_end ON wallet_request (expires_at, agent_id, idempotency_key);
