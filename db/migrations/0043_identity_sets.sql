-- One supplier of an owner (an organization, or a payer in lower case), however a request names it. A merge changes `root_id`, so records
-- never move: the set of a record is the root of its supplier. `fill-identity-sets.ts` makes the sets of the records that are stored already.
CREATE TABLE supplier (
  owner_id TEXT NOT NULL,
  -- The request whose delivery made it.
  supplier_id TEXT NOT NULL,
  root_id TEXT NOT NULL,
  -- A stored record contradicted it when the sets were made.
  disputed INTEGER NOT NULL CHECK (disputed IN (0, 1)),
  created_at TEXT NOT NULL,
  PRIMARY KEY (owner_id, supplier_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX supplier_root ON supplier (owner_id, root_id);

CREATE TABLE supplier_identifier (
  owner_id TEXT NOT NULL,
  -- Such as `lei:…`.
  key TEXT NOT NULL,
  supplier_id TEXT NOT NULL,
  -- Only an anchor vouches. Both link.
  grade TEXT NOT NULL CHECK (grade IN ('ANCHOR', 'ADDED')),
  -- What gave the grade, when, and the key that signed it. If that key was lost by then, the identifier counts as ADDED.
  request_id TEXT NOT NULL,
  graded_at TEXT NOT NULL,
  key_id TEXT,
  PRIMARY KEY (owner_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX supplier_identifier_of ON supplier_identifier (owner_id, supplier_id, key);

CREATE TABLE supplier_name (
  owner_id TEXT NOT NULL,
  name_key TEXT NOT NULL,
  supplier_id TEXT NOT NULL,
  PRIMARY KEY (owner_id, name_key, supplier_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX supplier_name_of ON supplier_name (owner_id, supplier_id, name_key);

CREATE TABLE supplier_entity (
  owner_id TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  supplier_id TEXT NOT NULL,
  PRIMARY KEY (owner_id, entity_id)
) STRICT, WITHOUT ROWID;

-- Two sets of one name that an authorized destination told apart, in both directions.
CREATE TABLE supplier_distinct (
  owner_id TEXT NOT NULL,
  one TEXT NOT NULL,
  other TEXT NOT NULL,
  PRIMARY KEY (owner_id, one, other)
) STRICT, WITHOUT ROWID;

-- The anchors that a delivered authorization named: for a request that names one of them, the record vouches for its destination.
CREATE TABLE record_anchor (
  owner_id TEXT NOT NULL,
  key TEXT NOT NULL,
  -- Empty for an answer without one.
  destination TEXT NOT NULL,
  decided_at TEXT NOT NULL,
  request_id TEXT NOT NULL REFERENCES decision_request (id),
  PRIMARY KEY (owner_id, key, destination, decided_at, request_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_anchor_request ON record_anchor (request_id, owner_id, key);

-- Null for a record after which no money may have moved.
ALTER TABLE authorization_record ADD COLUMN supplier_id TEXT;
-- The supplier of the payer, and that of the organization for which the answer was bought.
ALTER TABLE answer_record ADD COLUMN supplier_id TEXT;
ALTER TABLE answer_record ADD COLUMN organization_supplier_id TEXT;

DROP INDEX authorization_record_name;
DROP INDEX authorization_record_entity;
DROP INDEX authorization_record_allowed;
DROP INDEX authorization_record_supplier;
DROP INDEX authorization_record_obligation;
DROP INDEX answer_record_subject;
DROP INDEX answer_record_obligation;

-- A purchase that names a supplier in a new way holds the supplier's identifiers, names and entity id while it runs.
CREATE TABLE authority_hold_of_suppliers (
  organization_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK
    (kind IN ('OBLIGATION', 'MANDATE_ID', 'MANDATE_NONCE', 'CHALLENGE', 'CHANGE_AUTHORIZATION', 'SUPPLIER')),
  value TEXT NOT NULL,
  request_id TEXT NOT NULL REFERENCES decision_request (id),
  spent INTEGER NOT NULL CHECK (spent IN (0, 1)),
  has_attempt INTEGER NOT NULL DEFAULT 0 CHECK (has_attempt IN (0, 1)),
  PRIMARY KEY (organization_id, kind, value)
) STRICT, WITHOUT ROWID;
INSERT INTO authority_hold_of_suppliers (organization_id, kind, value, request_id, spent, has_attempt)
  SELECT organization_id, kind, value, request_id, spent, has_attempt FROM authority_hold;
DROP TABLE authority_hold;
ALTER TABLE authority_hold_of_suppliers RENAME TO authority_hold;
CREATE INDEX authority_hold_request ON authority_hold (request_id);
CREATE INDEX authority_hold_change ON authority_hold (value) WHERE kind = 'CHANGE_AUTHORIZATION';
CREATE INDEX authority_hold_stray ON authority_hold (request_id, organization_id, kind, value)
  WHERE spent = 0 AND has_attempt = 0;

-- By supplier in place of subject. `fill-identity-sets.ts` fills it from the old one.
ALTER TABLE spent_change RENAME TO spent_change_of_subject;
DROP INDEX spent_change_execution;
CREATE TABLE spent_change (
  organization_id TEXT NOT NULL,
  supplier_id TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  execution_id TEXT NOT NULL REFERENCES authorization_token (execution_id),
  PRIMARY KEY (organization_id, supplier_id, changed_at, execution_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX spent_change_execution ON spent_change (execution_id);
