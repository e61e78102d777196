-- One job of the escrow contract in which this service is the provider. `state` says what the worker does next; what happened to money is in
-- acp_fact. A job with a frozen requirement is a purchase of the same id. Addresses in lower case. `expired_at` in seconds. `look_at`: when
-- the worker looks next, which is also the end of its lease; NULL when nothing is left to do.
CREATE TABLE acp_job (
  id TEXT PRIMARY KEY,
  chain_id INTEGER NOT NULL,
  contract TEXT NOT NULL,
  job_id TEXT NOT NULL,
  client TEXT NOT NULL,
  provider TEXT NOT NULL,
  evaluator TEXT NOT NULL,
  hook TEXT NOT NULL,
  expired_at INTEGER NOT NULL,
  created_block TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('SEEN', 'AWAITING_REQUIREMENT', 'REQUIREMENT_VERIFIED', 'BUDGET_PREPARED', 'BUDGET_PROPOSED',
    'FUNDING_SEEN', 'FUNDING_SAFE', 'DECISION_READY', 'DELIVERABLE_FROZEN', 'DELIVERABLE_POSTED', 'SUBMIT_PREPARED', 'SUBMITTED',
    'SUBMITTED_SAFE', 'COMPLETED', 'REJECTED', 'EXPIRED', 'REFUSED', 'WITHDRAWN', 'DEADLINE_MISSED', 'FUNDING_MISMATCH',
    'SUBMIT_MISMATCH', 'UNPAID_AFTER_DELIVERY')),
  reason TEXT,
  request_id TEXT REFERENCES decision_request (id),
  requirement_json TEXT,
  requirement_digest TEXT,
  binding_digest TEXT,
  funding_json TEXT,
  lease_owner TEXT,
  look_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (chain_id, contract, job_id)
) STRICT;
CREATE INDEX acp_job_due ON acp_job (look_at, id) WHERE look_at IS NOT NULL;
CREATE INDEX acp_job_newest ON acp_job (created_at, id);
CREATE INDEX acp_job_request ON acp_job (request_id);
CREATE INDEX acp_job_number ON acp_job (job_id);
CREATE INDEX acp_job_of_client ON acp_job (client, id) WHERE state IN ('SEEN', 'AWAITING_REQUIREMENT');

-- The history of a job. Append-only.
CREATE TABLE acp_event (
  id INTEGER PRIMARY KEY,
  job TEXT NOT NULL REFERENCES acp_job (id),
  at TEXT NOT NULL,
  from_state TEXT,
  to_state TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX acp_event_job ON acp_event (job, id);

-- What the worker found of each message that looked like a requirement. The text is not kept: the hub has it, and the accepted one is in
-- acp_job.
CREATE TABLE acp_entry (
  job TEXT NOT NULL REFERENCES acp_job (id),
  entry_key TEXT NOT NULL,
  received_at TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('DRAFT', 'ACCEPTED', 'IGNORED', 'REFUSED', 'SERVED_AGAIN')),
  code TEXT,
  PRIMARY KEY (job, entry_key)
) STRICT, WITHOUT ROWID;

-- What the buyer is told in the chat of a job, each sentence once.
CREATE TABLE acp_notice (
  job TEXT NOT NULL REFERENCES acp_job (id),
  code TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at TEXT NOT NULL,
  posted_at TEXT,
  PRIMARY KEY (job, code)
) STRICT, WITHOUT ROWID;

-- The two transactions of a job. OPEN: its transaction is not in a safe block. SAFE and REVERTED: it is, and what it did.
CREATE TABLE acp_action (
  job TEXT NOT NULL REFERENCES acp_job (id),
  action TEXT NOT NULL CHECK (action IN ('SET_BUDGET', 'SUBMIT')),
  wallet TEXT NOT NULL,
  nonce INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('OPEN', 'SAFE', 'REVERTED')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (job, action)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX acp_action_nonce ON acp_action (wallet, nonce) WHERE state = 'OPEN';

-- Signed transactions. A later one of an action has a higher fee, or another nonce after a foreign transaction took the first.
CREATE TABLE acp_transaction (
  tx_hash TEXT PRIMARY KEY,
  job TEXT NOT NULL REFERENCES acp_job (id),
  action TEXT NOT NULL,
  nonce INTEGER NOT NULL,
  raw TEXT NOT NULL,
  max_fee_wei TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX acp_transaction_action ON acp_transaction (job, action);

-- The text of a delivery as submitted: `keccak256` of it is on the chain. Never changed after insert, `posted_at` aside.
CREATE TABLE acp_deliverable (
  job TEXT PRIMARY KEY REFERENCES acp_job (id),
  text TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  keccak256 TEXT NOT NULL,
  created_at TEXT NOT NULL,
  posted_at TEXT
) STRICT, WITHOUT ROWID;

-- What the chain showed about a job. Append-only. Funding, submission, completion, payout and refund are separate facts.
CREATE TABLE acp_fact (
  id INTEGER PRIMARY KEY,
  job TEXT NOT NULL REFERENCES acp_job (id),
  fact TEXT NOT NULL CHECK (fact IN ('FUNDING', 'SUBMISSION', 'COMPLETION', 'PAYOUT', 'REFUND', 'REJECTION', 'EXPIRY')),
  level TEXT NOT NULL CHECK (level IN ('LATEST', 'SAFE', 'FINALIZED', 'ORPHANED')),
  tx_hash TEXT NOT NULL,
  log_index INTEGER NOT NULL,
  block_number TEXT NOT NULL,
  block_hash TEXT NOT NULL,
  token TEXT,
  from_address TEXT,
  to_address TEXT,
  amount_atomic TEXT,
  deliverable_hash TEXT,
  observed_at TEXT NOT NULL,
  UNIQUE (job, fact, tx_hash, log_index, block_hash, level)
) STRICT;
CREATE INDEX acp_fact_job ON acp_fact (job);

-- The last safe block up to which the contract's logs were read for jobs of this provider.
CREATE TABLE acp_cursor (
  contract TEXT NOT NULL,
  provider TEXT NOT NULL,
  block_number TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (contract, provider)
) STRICT, WITHOUT ROWID;

-- The operator's pauses. The newest row counts. While paused the service proposes no budget; what was funded is delivered.
CREATE TABLE acp_switch (
  id INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('PAUSE', 'RESUME')),
  reason TEXT NOT NULL
) STRICT;

-- How the worker found hub, chain and wallet at its last look: one row for each process that serves. `reasons` is a JSON array of codes.
CREATE TABLE acp_look (
  owner TEXT PRIMARY KEY,
  at TEXT NOT NULL,
  provider TEXT NOT NULL,
  reasons TEXT NOT NULL,
  platform_fee_bp INTEGER,
  evaluator_fee_bp INTEGER,
  balance_wei TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX acp_look_at ON acp_look (at);
