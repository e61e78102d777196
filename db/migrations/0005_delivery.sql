-- One row per request that somebody tried to buy; written only after the payer's signature verified.
CREATE TABLE decision_request (
  id TEXT PRIMARY KEY,
  product TEXT NOT NULL,
  scope TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  body_digest TEXT NOT NULL,
  request_json TEXT NOT NULL,
  organization_id TEXT,
  agent_id TEXT,
  key_id TEXT,
  delegation_id TEXT,
  mandate_delegation_id TEXT,
  amount_millionths TEXT,
  state TEXT NOT NULL CHECK (state IN ('NEW', 'COMPUTED', 'DELIVERED')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (product, scope, idempotency_key),
  UNIQUE (product, scope, request_digest)
) STRICT;

CREATE INDEX decision_request_delegation ON decision_request (delegation_id);
CREATE INDEX decision_request_mandate_delegation ON decision_request (mandate_delegation_id);

-- A signed request is sold once over all rails together.
CREATE TABLE entitlement (
  request_digest TEXT PRIMARY KEY,
  rail TEXT NOT NULL CHECK (rail IN ('x402', 'acp')),
  request_id TEXT NOT NULL REFERENCES decision_request (id),
  acquired_at TEXT NOT NULL
) STRICT;

-- One row per payment authorization we ever considered. SETTLING means "we may have been paid": only the chain leaves it.
CREATE TABLE payment_attempt (
  id TEXT PRIMARY KEY,
  request_id TEXT NOT NULL REFERENCES decision_request (id),
  chain_id INTEGER NOT NULL,
  asset TEXT NOT NULL,
  payer TEXT NOT NULL,
  nonce TEXT NOT NULL,
  pay_to TEXT NOT NULL,
  value TEXT NOT NULL,
  valid_after INTEGER NOT NULL,
  valid_before INTEGER NOT NULL,
  max_timeout_seconds INTEGER NOT NULL,
  quote_id TEXT NOT NULL,
  payload_json TEXT,
  payload_sha256 TEXT NOT NULL,
  payer_has_code INTEGER NOT NULL CHECK (payer_has_code IN (0, 1)),
  payer_code_hash TEXT,
  settler TEXT NOT NULL CHECK (settler IN ('self', 'http')),
  state TEXT NOT NULL CHECK (state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'SETTLED', 'FAILED', 'RELEASED', 'PAID_OWED')),
  reason TEXT,
  watched INTEGER NOT NULL CHECK (watched IN (0, 1)),
  settled_tx TEXT,
  settled_log_index INTEGER,
  settled_block TEXT,
  settled_block_hash TEXT,
  finality TEXT CHECK (finality IN ('INCLUDED', 'SAFE', 'UNPAID_AFTER_REORG')),
  lease_owner TEXT,
  lease_until TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (chain_id, asset, payer, nonce)
) STRICT;

CREATE UNIQUE INDEX payment_attempt_one_live ON payment_attempt (request_id)
  WHERE state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'SETTLED');
-- One transfer on the chain pays for one decision.
CREATE UNIQUE INDEX payment_attempt_one_transfer ON payment_attempt (chain_id, settled_tx, settled_log_index)
  WHERE settled_tx IS NOT NULL;
CREATE INDEX payment_attempt_open ON payment_attempt (state, lease_until)
  WHERE state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'PAID_OWED');
CREATE INDEX payment_attempt_watched ON payment_attempt (valid_before) WHERE watched = 1;
CREATE INDEX payment_attempt_unsafe ON payment_attempt (updated_at) WHERE state = 'SETTLED' AND finality = 'INCLUDED';

-- Append-only history of every attempt: the dispute file.
CREATE TABLE payment_event (
  id INTEGER PRIMARY KEY,
  attempt_id TEXT NOT NULL REFERENCES payment_attempt (id),
  at TEXT NOT NULL,
  from_state TEXT,
  to_state TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

CREATE INDEX payment_event_attempt ON payment_event (attempt_id);

-- Every nonce of the relayer, allocated here before it is signed. A nonce without a raw transaction is filled with a self-transfer.
CREATE TABLE relayer_nonce (
  relayer TEXT NOT NULL,
  nonce INTEGER NOT NULL,
  attempt_id TEXT REFERENCES payment_attempt (id),
  state TEXT NOT NULL CHECK (state IN ('ALLOCATED', 'STORED', 'MINED')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (relayer, nonce)
) STRICT;

CREATE INDEX relayer_nonce_open ON relayer_nonce (relayer, nonce) WHERE state IN ('ALLOCATED', 'STORED');

-- The raw transactions signed for a nonce; several when the fee was raised.
CREATE TABLE relayer_transaction (
  tx_hash TEXT PRIMARY KEY,
  relayer TEXT NOT NULL,
  nonce INTEGER NOT NULL,
  raw TEXT NOT NULL,
  max_fee_wei TEXT NOT NULL,
  created_at TEXT NOT NULL,
  FOREIGN KEY (relayer, nonce) REFERENCES relayer_nonce (relayer, nonce)
) STRICT;

CREATE INDEX relayer_transaction_nonce ON relayer_transaction (relayer, nonce);

-- Gas that reverted settlements burned, by the payer contract's code, for the daily budget.
CREATE TABLE burned_gas (
  code_hash TEXT NOT NULL,
  day TEXT NOT NULL,
  wei TEXT NOT NULL,
  PRIMARY KEY (code_hash, day)
) STRICT, WITHOUT ROWID;

-- The answer. core, facts and capsule are written before settlement, the final body once with it; all bytes stay as they are.
CREATE TABLE delivery (
  request_id TEXT PRIMARY KEY REFERENCES decision_request (id),
  attempt_id TEXT NOT NULL REFERENCES payment_attempt (id),
  decision_id TEXT NOT NULL UNIQUE,
  delivery_reference TEXT NOT NULL UNIQUE,
  core_json TEXT NOT NULL,
  facts_json TEXT NOT NULL,
  capsule_json TEXT NOT NULL,
  capsule_digest TEXT NOT NULL,
  key_id TEXT NOT NULL,
  valid_until TEXT NOT NULL,
  computed_at TEXT NOT NULL,
  body TEXT,
  response_digest TEXT,
  payment_response TEXT,
  arrival TEXT CHECK (arrival IN ('IN_TIME', 'EXPIRED_ON_ARRIVAL')),
  delivered_at TEXT
) STRICT;

CREATE INDEX delivery_response ON delivery (response_digest) WHERE response_digest IS NOT NULL;

-- Snapshots a delivery rests on: kept until the operator's retention ends.
CREATE TABLE delivery_snapshot (
  request_id TEXT NOT NULL REFERENCES delivery (request_id) ON DELETE CASCADE,
  snapshot_id TEXT NOT NULL,
  PRIMARY KEY (request_id, snapshot_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX delivery_snapshot_of ON delivery_snapshot (snapshot_id);

-- A paid decision that arrived with too little validity left entitles its owner to one more for the same subject, once.
CREATE TABLE redelivery (
  request_id TEXT PRIMARY KEY REFERENCES decision_request (id),
  scope TEXT NOT NULL,
  subject TEXT NOT NULL,
  until TEXT NOT NULL,
  used_by TEXT REFERENCES decision_request (id)
) STRICT;

CREATE INDEX redelivery_open ON redelivery (scope, subject) WHERE used_by IS NULL;

-- What a running or delivered request keeps others from using: its obligation, its mandate, its mandate's nonce.
CREATE TABLE authority_hold (
  organization_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('OBLIGATION', 'MANDATE_ID', 'MANDATE_NONCE')),
  value TEXT NOT NULL,
  request_id TEXT NOT NULL REFERENCES decision_request (id),
  spent INTEGER NOT NULL CHECK (spent IN (0, 1)),
  PRIMARY KEY (organization_id, kind, value)
) STRICT, WITHOUT ROWID;

CREATE INDEX authority_hold_request ON authority_hold (request_id);

-- What delivered decisions of an organization said, for later decisions of the same organization only.
CREATE TABLE authorization_record (
  request_id TEXT PRIMARY KEY REFERENCES decision_request (id),
  organization_id TEXT NOT NULL,
  supplier_key TEXT NOT NULL,
  supplier_entity_id TEXT NOT NULL,
  supplier_name_key TEXT NOT NULL,
  obligation_key TEXT NOT NULL,
  document_digest TEXT NOT NULL,
  instruction_digest TEXT NOT NULL,
  payee_fingerprint TEXT NOT NULL,
  destination_fingerprint TEXT NOT NULL,
  mandate_key_id TEXT NOT NULL,
  decision TEXT NOT NULL,
  decision_id TEXT NOT NULL,
  response_digest TEXT NOT NULL,
  decided_at TEXT NOT NULL,
  valid_until TEXT NOT NULL
) STRICT;

CREATE INDEX authorization_record_supplier ON authorization_record (organization_id, supplier_key);
CREATE INDEX authorization_record_entity ON authorization_record (organization_id, supplier_entity_id);
CREATE INDEX authorization_record_document ON authorization_record (organization_id, document_digest);
CREATE INDEX authorization_record_instruction ON authorization_record (organization_id, instruction_digest);
CREATE INDEX authorization_record_response ON authorization_record (organization_id, response_digest);
