-- Single-use tokens sold with answers. The token itself is nowhere: its text follows from execution_id under a key outside the database.
-- EXPIRED is written once a holder was told so, so that a clock set back brings no token to life again.
CREATE TABLE authorization_token (
  token_hash TEXT PRIMARY KEY CHECK (length(token_hash) = 64),
  request_id TEXT NOT NULL REFERENCES decision_request (id),
  execution_id TEXT NOT NULL UNIQUE,
  product TEXT NOT NULL,
  country TEXT NOT NULL CHECK (country IN ('GB', 'US')),
  kind TEXT NOT NULL CHECK (kind IN ('PAYMENT', 'VENDOR_CHANGE')),
  -- What a redeemer repeats, canonical JSON.
  binding_json TEXT NOT NULL,
  -- Lower-case address of the wallet that bought it.
  wallet TEXT NOT NULL,
  -- Digest of the answer's core: how a Payment Decision names a change authorization.
  evidence_reference TEXT NOT NULL UNIQUE,
  issued_at TEXT NOT NULL,
  -- May lie before issued_at: an answer can arrive later than it was valid, and is delivered all the same.
  expires_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('ISSUED', 'SPENT', 'REVOKED', 'EXPIRED')),
  changed_at TEXT,
  -- Of the request that spent or revoked it.
  idempotency_key TEXT,
  request_digest TEXT,
  revocation_reason TEXT,
  -- The request whose decision spent it, where nobody redeemed it.
  spent_by TEXT REFERENCES decision_request (id),
  CHECK ((state = 'ISSUED') = (changed_at IS NULL)),
  CHECK ((idempotency_key IS NULL) = (request_digest IS NULL)),
  CHECK (idempotency_key IS NULL OR state IN ('SPENT', 'REVOKED')),
  CHECK ((state = 'REVOKED') = (revocation_reason IS NOT NULL)),
  CHECK (spent_by IS NULL OR state = 'SPENT')
) STRICT, WITHOUT ROWID;

-- Who redeems a change authorization asks whether a running decision counts on it.
CREATE INDEX authority_hold_change ON authority_hold (value) WHERE kind = 'CHANGE_AUTHORIZATION';
