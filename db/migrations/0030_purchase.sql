-- One purchase of a request over one rail. A request is sold once over all rails, so at most one of its purchases is LIVE or ACQUIRED.
-- OWED: it was paid after it had ended, and its answer is not delivered yet. `reference` names what paid for it, once it is acquired.
CREATE TABLE purchase (
  id TEXT PRIMARY KEY,
  request_id TEXT NOT NULL REFERENCES decision_request (id),
  rail TEXT NOT NULL CHECK (rail IN ('x402', 'acp')),
  state TEXT NOT NULL CHECK (state IN ('LIVE', 'OWED', 'ACQUIRED', 'ENDED')),
  reference TEXT,
  created_at TEXT NOT NULL,
  CHECK (state <> 'ACQUIRED' OR reference IS NOT NULL)
) STRICT;
INSERT INTO purchase (id, request_id, rail, state, reference, created_at)
  SELECT id, request_id, 'x402',
    CASE WHEN state IN ('RESERVED', 'VERIFIED', 'SETTLING') THEN 'LIVE' WHEN state = 'SETTLED' THEN 'ACQUIRED'
      WHEN state = 'PAID_OWED' THEN 'OWED' ELSE 'ENDED' END,
    CASE WHEN state = 'SETTLED' THEN 'eip155:' || chain_id || '/tx/' || coalesce(settled_tx, '') END,
    created_at
  FROM payment_attempt;
CREATE UNIQUE INDEX purchase_one_live ON purchase (request_id) WHERE state IN ('LIVE', 'ACQUIRED');
CREATE INDEX purchase_request ON purchase (request_id, state, id);

-- An attempt is the purchase of the same id over x402.
CREATE TABLE new_payment_attempt (
  id TEXT PRIMARY KEY REFERENCES purchase (id),
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
  already_used INTEGER NOT NULL DEFAULT 0 CHECK (already_used IN (0, 1)),
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
  look_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (chain_id, asset, payer, nonce)
) STRICT;
INSERT INTO new_payment_attempt (id, request_id, chain_id, asset, payer, nonce, pay_to, value, valid_after, valid_before,
    max_timeout_seconds, quote_id, payload_json, payload_sha256, payer_has_code, payer_code_hash, already_used, settler, state, reason,
    watched, settled_tx, settled_log_index, settled_block, settled_block_hash, finality, lease_owner, lease_until, look_at, created_at,
    updated_at)
  SELECT id, request_id, chain_id, asset, payer, nonce, pay_to, value, valid_after, valid_before,
    max_timeout_seconds, quote_id, payload_json, payload_sha256, payer_has_code, payer_code_hash, already_used, settler, state, reason,
    watched, settled_tx, settled_log_index, settled_block, settled_block_hash, finality, lease_owner, lease_until, look_at, created_at,
    updated_at
  FROM payment_attempt;
DROP TABLE payment_attempt;
ALTER TABLE new_payment_attempt RENAME TO payment_attempt;
-- One transfer on the chain pays for one decision.
CREATE UNIQUE INDEX payment_attempt_one_transfer ON payment_attempt (chain_id, settled_tx, settled_log_index)
  WHERE settled_tx IS NOT NULL;
CREATE INDEX payment_attempt_request ON payment_attempt (request_id);
CREATE INDEX payment_attempt_payload ON payment_attempt (request_id, payload_sha256);
CREATE INDEX payment_attempt_owed ON payment_attempt (created_at, id) WHERE state = 'PAID_OWED';
CREATE INDEX payment_attempt_free ON payment_attempt (lease_until, created_at, id)
  WHERE state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'PAID_OWED') AND lease_owner IS NULL;
CREATE INDEX payment_attempt_leased ON payment_attempt (lease_until, created_at, id)
  WHERE state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'PAID_OWED') AND lease_owner IS NOT NULL;
CREATE INDEX payment_attempt_look ON payment_attempt (look_at, id) WHERE look_at IS NOT NULL;
CREATE INDEX payment_attempt_settling ON payment_attempt (updated_at, id) WHERE state = 'SETTLING';

-- The answer belongs to a purchase of any rail.
CREATE TABLE new_delivery (
  request_id TEXT PRIMARY KEY REFERENCES decision_request (id),
  purchase_id TEXT NOT NULL REFERENCES purchase (id),
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
  delivered_at TEXT,
  log_index INTEGER CHECK (log_index >= 0),
  companion_id TEXT,
  companion_json TEXT
) STRICT;
INSERT INTO new_delivery (request_id, purchase_id, decision_id, delivery_reference, core_json, facts_json, capsule_json, capsule_digest,
    key_id, valid_until, computed_at, body, response_digest, payment_response, arrival, delivered_at, log_index, companion_id,
    companion_json)
  SELECT request_id, attempt_id, decision_id, delivery_reference, core_json, facts_json, capsule_json, capsule_digest,
    key_id, valid_until, computed_at, body, response_digest, payment_response, arrival, delivered_at, log_index, companion_id,
    companion_json
  FROM delivery;
DROP TABLE delivery;
ALTER TABLE new_delivery RENAME TO delivery;
CREATE INDEX delivery_response ON delivery (response_digest) WHERE response_digest IS NOT NULL;
CREATE UNIQUE INDEX delivery_companion ON delivery (companion_id) WHERE companion_id IS NOT NULL;
