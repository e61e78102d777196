-- Every query finds its rows by an index that also gives their order, so that none becomes slower as its tables grow. Sums that a
-- request asks for are kept beside the rows, in the unit that changes them.

-- Attempts of a request by state and by payload; those that are owed.
CREATE INDEX payment_attempt_request ON payment_attempt (request_id, state, id);
CREATE INDEX payment_attempt_payload ON payment_attempt (request_id, payload_sha256);
CREATE INDEX payment_attempt_owed ON payment_attempt (created_at, id) WHERE state = 'PAID_OWED';

-- Open attempts wait in two queues: those that nobody has, longest waiting first, and those with a lease, by its end. The end of the
-- last lease is the place of a free one, so it is never null while an attempt is open.
UPDATE payment_attempt SET lease_until = created_at
  WHERE state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'PAID_OWED') AND lease_until IS NULL;
DROP INDEX payment_attempt_open;
CREATE INDEX payment_attempt_free ON payment_attempt (lease_until, created_at, id)
  WHERE state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'PAID_OWED') AND lease_owner IS NULL;
CREATE INDEX payment_attempt_leased ON payment_attempt (lease_until, created_at, id)
  WHERE state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'PAID_OWED') AND lease_owner IS NOT NULL;

-- When the chain is asked next about an ended attempt: one that is watched, or one that settled in a block that is not safe yet. Null
-- for all others.
ALTER TABLE payment_attempt ADD COLUMN look_at TEXT;
UPDATE payment_attempt SET look_at = updated_at WHERE watched = 1 OR (state = 'SETTLED' AND finality = 'INCLUDED');
DROP INDEX payment_attempt_watched;
DROP INDEX payment_attempt_unsafe;
CREATE INDEX payment_attempt_look ON payment_attempt (look_at, id) WHERE look_at IS NOT NULL;

-- What a payer's RESERVED, VERIFIED and SETTLING attempts will take from his balance, in the asset's smallest unit. No row: nothing.
CREATE TABLE unsettled_value (
  chain_id INTEGER NOT NULL,
  asset TEXT NOT NULL,
  payer TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (chain_id, asset, payer)
) STRICT, WITHOUT ROWID;

-- What a delegation was used for: requests with a RESERVED, VERIFIED, SETTLING or SETTLED attempt that count against it, by the UTC day
-- of the attempt, and the sum of their amounts over all days.
CREATE TABLE delegation_total (
  delegation_id TEXT PRIMARY KEY,
  millionths TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE delegation_day (
  delegation_id TEXT NOT NULL,
  day TEXT NOT NULL,
  requests INTEGER NOT NULL CHECK (requests >= 0),
  PRIMARY KEY (delegation_id, day)
) STRICT, WITHOUT ROWID;

-- Amounts are text of up to 24 digits. The last nine and the others are summed apart, so that a sum beyond 64 bits is exact, and put
-- together with the carry.
INSERT INTO unsettled_value (chain_id, asset, payer, value)
  SELECT chain_id, asset, payer,
    CASE WHEN high + low / 1000000000 = 0 THEN CAST(low AS TEXT)
      ELSE CAST(high + low / 1000000000 AS TEXT) || substr(CAST(1000000000 + low % 1000000000 AS TEXT), 2) END
  FROM (
    SELECT chain_id, asset, payer,
      sum(CASE WHEN length(value) > 9 THEN CAST(substr(value, 1, length(value) - 9) AS BIGINT) ELSE 0 END) AS high,
      sum(CAST(CASE WHEN length(value) > 9 THEN substr(value, length(value) - 8) ELSE value END AS BIGINT)) AS low
    FROM payment_attempt WHERE state IN ('RESERVED', 'VERIFIED', 'SETTLING')
    GROUP BY chain_id, asset, payer
  ) AS summed;

-- UNION, not UNION ALL: a request that names one delegation twice counts once.
CREATE TABLE counted_use (
  delegation_id TEXT NOT NULL,
  request_id TEXT NOT NULL,
  amount TEXT NOT NULL,
  day TEXT NOT NULL
) STRICT;
INSERT INTO counted_use (delegation_id, request_id, amount, day)
  SELECT r.delegation_id, r.id, coalesce(r.amount_millionths, '0'), substr(a.created_at, 1, 10)
    FROM decision_request r JOIN payment_attempt a ON a.request_id = r.id
    WHERE r.delegation_id IS NOT NULL AND a.state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'SETTLED')
  UNION
  SELECT r.mandate_delegation_id, r.id, coalesce(r.amount_millionths, '0'), substr(a.created_at, 1, 10)
    FROM decision_request r JOIN payment_attempt a ON a.request_id = r.id
    WHERE r.mandate_delegation_id IS NOT NULL AND a.state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'SETTLED');
INSERT INTO delegation_day (delegation_id, day, requests)
  SELECT delegation_id, day, count(*) FROM counted_use GROUP BY delegation_id, day;
INSERT INTO delegation_total (delegation_id, millionths)
  SELECT delegation_id,
    CASE WHEN high + low / 1000000000 = 0 THEN CAST(low AS TEXT)
      ELSE CAST(high + low / 1000000000 AS TEXT) || substr(CAST(1000000000 + low % 1000000000 AS TEXT), 2) END
  FROM (
    SELECT delegation_id,
      sum(CASE WHEN length(amount) > 9 THEN CAST(substr(amount, 1, length(amount) - 9) AS BIGINT) ELSE 0 END) AS high,
      sum(CAST(CASE WHEN length(amount) > 9 THEN substr(amount, length(amount) - 8) ELSE amount END AS BIGINT)) AS low
    FROM counted_use GROUP BY delegation_id
  ) AS summed;
DROP TABLE counted_use;
DROP INDEX decision_request_delegation;
DROP INDEX decision_request_mandate_delegation;

-- Rows that name a request are looked for when a request is taken back.
CREATE INDEX entitlement_request ON entitlement (request_id);
CREATE INDEX authorization_token_request ON authorization_token (request_id);
CREATE INDEX authorization_token_spender ON authorization_token (spent_by) WHERE spent_by IS NOT NULL;
CREATE INDEX redelivery_used ON redelivery (used_by) WHERE used_by IS NOT NULL;
DROP INDEX redelivery_open;
CREATE INDEX redelivery_open ON redelivery (scope, subject, until, request_id) WHERE used_by IS NULL;

-- A hold whose request has no attempt that could still be paid, or was paid, is stray when its process died.
ALTER TABLE authority_hold ADD COLUMN has_attempt INTEGER NOT NULL DEFAULT 0 CHECK (has_attempt IN (0, 1));
UPDATE authority_hold SET has_attempt = 1 WHERE request_id IN (
  SELECT request_id FROM payment_attempt WHERE state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'SETTLED', 'PAID_OWED'));
CREATE INDEX authority_hold_stray ON authority_hold (request_id, organization_id, kind, value)
  WHERE spent = 0 AND has_attempt = 0;

CREATE INDEX relayer_nonce_attempt ON relayer_nonce (attempt_id, nonce, relayer);
CREATE INDEX relayer_nonce_mined ON relayer_nonce (relayer, nonce, updated_at) WHERE state = 'MINED';
CREATE INDEX relayer_nonce_mined_at ON relayer_nonce (relayer, updated_at, nonce) WHERE state = 'MINED';
DROP INDEX relayer_transaction_nonce;
CREATE INDEX relayer_transaction_nonce ON relayer_transaction (relayer, nonce, created_at, tx_hash);

-- Records by what they are asked for, newest last. Only decisions after which money may have moved are read back, so bought refusals
-- are in no index that is read in order.
DROP INDEX authorization_record_supplier;
DROP INDEX authorization_record_entity;
DROP INDEX authorization_record_document;
DROP INDEX authorization_record_instruction;
CREATE INDEX authorization_record_name ON authorization_record (organization_id, supplier_key, supplier_name_key);
CREATE INDEX authorization_record_entity ON authorization_record (organization_id, supplier_entity_id, supplier_key);
CREATE INDEX authorization_record_allowed ON authorization_record (organization_id, supplier_key, decided_at, request_id)
  WHERE decision = 'ALLOW';
CREATE INDEX authorization_record_supplier ON authorization_record (organization_id, supplier_key, decided_at, request_id)
  WHERE decision IN ('ALLOW', 'ALLOW_WITH_CONDITIONS');
CREATE INDEX authorization_record_obligation
  ON authorization_record (organization_id, supplier_key, obligation_key, decided_at, request_id)
  WHERE decision IN ('ALLOW', 'ALLOW_WITH_CONDITIONS');
CREATE INDEX authorization_record_document ON authorization_record (organization_id, document_digest, decided_at, request_id)
  WHERE decision IN ('ALLOW', 'ALLOW_WITH_CONDITIONS');
CREATE INDEX authorization_record_instruction ON authorization_record (organization_id, instruction_digest, decided_at, request_id)
  WHERE decision IN ('ALLOW', 'ALLOW_WITH_CONDITIONS');

DROP INDEX answer_record_subject;
DROP INDEX answer_record_document;
DROP INDEX answer_record_organization;
CREATE INDEX answer_record_subject ON answer_record (owner, product, subject, decided_at, request_id)
  WHERE decision IN ('APPROVE', 'CONDITIONAL');
CREATE INDEX answer_record_obligation ON answer_record (owner, product, subject, obligation_key, decided_at, request_id)
  WHERE decision IN ('APPROVE', 'CONDITIONAL');
CREATE INDEX answer_record_document ON answer_record (owner, product, document_digest, decided_at, request_id)
  WHERE decision IN ('APPROVE', 'CONDITIONAL');

-- Spent change authorizations of an organization about one supplier, by when they were spent.
CREATE TABLE spent_change (
  organization_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  execution_id TEXT NOT NULL REFERENCES authorization_token (execution_id),
  PRIMARY KEY (organization_id, subject, changed_at, execution_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX spent_change_execution ON spent_change (execution_id);
INSERT INTO spent_change (organization_id, subject, changed_at, execution_id)
  SELECT a.organization_id, a.subject, t.changed_at, t.execution_id
    FROM authorization_token t JOIN answer_record a ON a.execution_id = t.execution_id
    WHERE t.kind = 'VENDOR_CHANGE' AND t.state = 'SPENT' AND a.organization_id IS NOT NULL;

-- Delegations of a key's owner, whatever organization gave them, and those of one key from one organization.
DROP INDEX delegation_of_owner;
CREATE INDEX delegation_of_owner ON delegation (key_owner, organization_id);
CREATE INDEX delegation_of_key_id ON delegation (organization_id, key_id);

CREATE INDEX suppression_expiry ON suppression (expires_at);
CREATE INDEX source_snapshot_on_disk ON source_snapshot (source_id, imported_at, snapshot_id) WHERE state <> 'DROPPED';
DROP INDEX source_snapshot_of;
