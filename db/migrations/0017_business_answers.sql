-- Holds of the products whose records belong to a payer: a caller's challenge, and a change authorization that a decision relies on.
CREATE TABLE authority_hold_of_any_owner (
  organization_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('OBLIGATION', 'MANDATE_ID', 'MANDATE_NONCE', 'CHALLENGE', 'CHANGE_AUTHORIZATION')),
  value TEXT NOT NULL,
  request_id TEXT NOT NULL REFERENCES decision_request (id),
  spent INTEGER NOT NULL CHECK (spent IN (0, 1)),
  PRIMARY KEY (organization_id, kind, value)
) STRICT, WITHOUT ROWID;

INSERT INTO authority_hold_of_any_owner (organization_id, kind, value, request_id, spent)
  SELECT organization_id, kind, value, request_id, spent FROM authority_hold;
DROP TABLE authority_hold;
ALTER TABLE authority_hold_of_any_owner RENAME TO authority_hold;
CREATE INDEX authority_hold_request ON authority_hold (request_id);

-- A signed document that belongs to an answer and is given out by itself: the company passport.
ALTER TABLE delivery ADD COLUMN companion_id TEXT;
ALTER TABLE delivery ADD COLUMN companion_json TEXT;
CREATE UNIQUE INDEX delivery_companion ON delivery (companion_id) WHERE companion_id IS NOT NULL;

-- What delivered answers of the eight products said, for later answers to the same payer, and to the organization that one names.
CREATE TABLE answer_record (
  request_id TEXT PRIMARY KEY REFERENCES decision_request (id),
  product TEXT NOT NULL,
  owner TEXT NOT NULL,
  organization_id TEXT,
  key_id TEXT,
  execution_id TEXT NOT NULL UNIQUE,
  core_digest TEXT NOT NULL UNIQUE,
  subject TEXT NOT NULL,
  name_key TEXT NOT NULL,
  obligation_key TEXT,
  document_digest TEXT,
  payee_fingerprint TEXT,
  destination_fingerprint TEXT,
  decision TEXT NOT NULL,
  decided_at TEXT NOT NULL,
  valid_until TEXT NOT NULL
) STRICT;

CREATE INDEX answer_record_subject ON answer_record (owner, subject, decided_at);
CREATE INDEX answer_record_document ON answer_record (owner, document_digest) WHERE document_digest IS NOT NULL;
CREATE INDEX answer_record_organization ON answer_record (organization_id, subject) WHERE organization_id IS NOT NULL;
