-- Buyer organizations, verified outside and entered by the operator. A row is never deleted: its decisions name it.
CREATE TABLE organization (
  organization_id TEXT PRIMARY KEY,
  legal_name TEXT NOT NULL,
  organization_digest TEXT NOT NULL,
  tolerance TEXT NOT NULL CHECK (tolerance IN ('LOW', 'MEDIUM', 'HIGH')),
  verification_method TEXT NOT NULL,
  verification_reference TEXT NOT NULL,
  verified_at TEXT NOT NULL,
  valid_until TEXT NOT NULL,
  verified_by TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('ACTIVE', 'REVOKED')),
  added_at TEXT NOT NULL,
  revoked_at TEXT,
  revocation_reason TEXT,
  CHECK ((state = 'REVOKED') = (revoked_at IS NOT NULL))
) STRICT;

-- Keys that sign for an organization. key_owner is the public point without its sign bit: the owner of a scalar also owns the
-- negated point, so two keys are independent only when their owners differ. One scalar signs for one organization.
CREATE TABLE mandate_key (
  organization_id TEXT NOT NULL REFERENCES organization (organization_id),
  key_id TEXT NOT NULL,
  x TEXT NOT NULL,
  key_owner TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL CHECK (state IN ('ACTIVE', 'REVOKED')),
  added_at TEXT NOT NULL,
  revoked_at TEXT,
  revoked_since TEXT,
  revocation_reason TEXT,
  PRIMARY KEY (organization_id, key_id),
  CHECK ((state = 'REVOKED') = (revoked_at IS NOT NULL AND revoked_since IS NOT NULL))
) STRICT;

-- Agent keys an organization lets act for it. Rows stay for ever: the unique nonce is what keeps a revoked delegation's signed
-- bytes from being enrolled a second time.
CREATE TABLE delegation (
  delegation_id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  key_owner TEXT NOT NULL,
  scope TEXT NOT NULL,
  permitted_intents TEXT NOT NULL,
  max_payment_amount TEXT NOT NULL,
  max_total_amount TEXT,
  max_requests_per_day INTEGER,
  currency TEXT NOT NULL,
  valid_from TEXT NOT NULL,
  valid_until TEXT NOT NULL,
  nonce TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  content_digest TEXT NOT NULL,
  document TEXT NOT NULL,
  answer TEXT NOT NULL,
  signed_by_key_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('ACTIVE', 'REVOKED')),
  recorded_at TEXT NOT NULL,
  revoked_at TEXT,
  FOREIGN KEY (organization_id, signed_by_key_id) REFERENCES mandate_key (organization_id, key_id),
  UNIQUE (organization_id, nonce),
  UNIQUE (organization_id, idempotency_key),
  CHECK ((state = 'REVOKED') = (revoked_at IS NOT NULL))
) STRICT;

CREATE INDEX delegation_of_key ON delegation (organization_id, agent_id, key_id);
CREATE INDEX delegation_of_owner ON delegation (organization_id, key_owner);

-- What an organization took back: a delegation or a mandate, once each. The first answer is kept and given again.
CREATE TABLE buyer_revocation (
  organization_id TEXT NOT NULL REFERENCES organization (organization_id),
  kind TEXT NOT NULL CHECK (kind IN ('DELEGATION', 'MANDATE')),
  subject_id TEXT NOT NULL,
  content_digest TEXT NOT NULL,
  document TEXT NOT NULL,
  answer TEXT NOT NULL,
  signed_by_key_id TEXT NOT NULL,
  revoked_at TEXT NOT NULL,
  FOREIGN KEY (organization_id, signed_by_key_id) REFERENCES mandate_key (organization_id, key_id),
  PRIMARY KEY (organization_id, kind, subject_id)
) STRICT, WITHOUT ROWID;
