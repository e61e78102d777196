-- One row per identity: its newest event. Rows are never deleted; REVOKED is terminal.
CREATE TABLE agent (
  agent_id TEXT PRIMARY KEY,
  identity_status TEXT NOT NULL CHECK (identity_status IN ('ACTIVE', 'REVOKED')),
  sequence INTEGER NOT NULL CHECK (sequence >= 0),
  head_event_digest TEXT NOT NULL,
  head_accepted_at TEXT NOT NULL
) STRICT;

-- Every key an identity ever had. scalar_owner is x with its sign bit cleared: a key and its negation have one owner, so a
-- revoked key cannot come back as its negation, nor one key serve two identities.
CREATE TABLE agent_key (
  key_id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  role TEXT NOT NULL CHECK (role IN ('OPERATIONAL', 'RECOVERY')),
  x TEXT NOT NULL,
  scalar_owner TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL CHECK (status IN ('ACTIVE', 'ROTATED', 'REVOKED')),
  since TEXT NOT NULL,
  until TEXT,
  successor_key_id TEXT
) STRICT;
CREATE INDEX agent_key_agent ON agent_key (agent_id);
CREATE UNIQUE INDEX agent_key_one_active ON agent_key (agent_id, role) WHERE status = 'ACTIVE';

-- The history, append-only. event_json is the canonical text the signatures are over.
CREATE TABLE agent_event (
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  sequence INTEGER NOT NULL,
  event_digest TEXT NOT NULL UNIQUE,
  challenge_id TEXT NOT NULL UNIQUE,
  event_json TEXT NOT NULL,
  signatures_json TEXT NOT NULL,
  receipt_json TEXT NOT NULL,
  accepted_at TEXT NOT NULL,
  PRIMARY KEY (agent_id, sequence)
) STRICT;

-- Challenges. client (the address a limit counts) is kept only while the challenge is open: cleared when consumed, purged with
-- the row after expiry. A consumed row stays, so that the same proof always gets the same answer.
CREATE TABLE agent_challenge (
  challenge_id TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('ISSUED', 'CONSUMED', 'SUPERSEDED', 'LOCKED')),
  client TEXT,
  event_json TEXT NOT NULL,
  challenge_digest TEXT NOT NULL,
  bad_proofs INTEGER NOT NULL CHECK (bad_proofs >= 0),
  issued_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  proof_digest TEXT,
  result_json TEXT,
  CHECK ((state = 'CONSUMED') = (proof_digest IS NOT NULL AND result_json IS NOT NULL))
) STRICT;
CREATE INDEX agent_challenge_client ON agent_challenge (client, expires_at) WHERE client IS NOT NULL;
CREATE INDEX agent_challenge_open ON agent_challenge (expires_at) WHERE client IS NOT NULL;

-- Enrolments of one address on one UTC day; earlier days are purged by the next enrolment.
CREATE TABLE agent_enrolment_count (
  day TEXT NOT NULL,
  client TEXT NOT NULL,
  enrolments INTEGER NOT NULL,
  PRIMARY KEY (day, client)
) STRICT, WITHOUT ROWID;
