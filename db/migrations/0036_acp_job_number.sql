-- A reorganization can give the number of a job to another job. `replaced_at`: when the row lost its number to a later one. Only one row has a
-- number now.
CREATE TABLE new_acp_job (
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
  replaced_at TEXT
) STRICT;
INSERT INTO new_acp_job (id, chain_id, contract, job_id, client, provider, evaluator, hook, expired_at, created_block, state, reason, request_id,
    requirement_json, requirement_digest, binding_digest, funding_json, lease_owner, look_at, created_at, updated_at, replaced_at)
  SELECT id, chain_id, contract, job_id, client, provider, evaluator, hook, expired_at, created_block, state, reason, request_id,
    requirement_json, requirement_digest, binding_digest, funding_json, lease_owner, look_at, created_at, updated_at, NULL
  FROM acp_job;
DROP TABLE acp_job;
ALTER TABLE new_acp_job RENAME TO acp_job;
CREATE UNIQUE INDEX acp_job_of_number ON acp_job (chain_id, contract, job_id) WHERE replaced_at IS NULL;
CREATE INDEX acp_job_due ON acp_job (look_at, id) WHERE look_at IS NOT NULL;
CREATE INDEX acp_job_newest ON acp_job (created_at, id);
CREATE INDEX acp_job_request ON acp_job (request_id);
CREATE INDEX acp_job_number ON acp_job (job_id);
CREATE INDEX acp_job_of_client ON acp_job (client, id) WHERE state IN ('SEEN', 'AWAITING_REQUIREMENT');
