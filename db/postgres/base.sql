-- Made by rules from the migrations up to 0048_many_writers: see scripts/postgres-base.ts.
CREATE TABLE schema_migration (ordinal bigint PRIMARY KEY, name text COLLATE "C" NOT NULL, sha256 text COLLATE "C" NOT NULL, applied_at text COLLATE "C" NOT NULL);
CREATE TABLE meta (
  name text COLLATE "C" PRIMARY KEY,
  value text COLLATE "C" NOT NULL
);
CREATE TABLE service_key (
  key_id text COLLATE "C" PRIMARY KEY,
  use text COLLATE "C" NOT NULL CHECK (use IN ('statement', 'log', 'sandbox')),
  x text COLLATE "C" NOT NULL UNIQUE,
  status text COLLATE "C" NOT NULL CHECK (status IN ('ACTIVE', 'ROTATED', 'REVOKED')),
  created_at text COLLATE "C" NOT NULL,
  not_before text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C" NOT NULL,
  revoked_since text COLLATE "C"
);
CREATE TABLE agent (
  agent_id text COLLATE "C" PRIMARY KEY,
  identity_status text COLLATE "C" NOT NULL CHECK (identity_status IN ('ACTIVE', 'REVOKED')),
  sequence bigint NOT NULL CHECK (sequence >= 0),
  head_event_digest text COLLATE "C" NOT NULL,
  head_accepted_at text COLLATE "C" NOT NULL
, next_operational_key_digest text COLLATE "C", last_routine_rotation_at text COLLATE "C");
CREATE TABLE agent_key (
  key_id text COLLATE "C" PRIMARY KEY,
  agent_id text COLLATE "C" NOT NULL REFERENCES agent (agent_id),
  role text COLLATE "C" NOT NULL CHECK (role IN ('OPERATIONAL', 'RECOVERY')),
  x text COLLATE "C" NOT NULL,
  scalar_owner text COLLATE "C" NOT NULL UNIQUE,
  status text COLLATE "C" NOT NULL CHECK (status IN ('ACTIVE', 'ROTATED', 'REVOKED')),
  since text COLLATE "C" NOT NULL,
  until text COLLATE "C",
  successor_key_id text COLLATE "C"
, compromised_since text COLLATE "C");
CREATE TABLE agent_event (
  agent_id text COLLATE "C" NOT NULL REFERENCES agent (agent_id),
  sequence bigint NOT NULL,
  event_digest text COLLATE "C" NOT NULL UNIQUE,
  challenge_id text COLLATE "C" NOT NULL UNIQUE,
  event_json text COLLATE "C" NOT NULL,
  signatures_json text COLLATE "C" NOT NULL,
  receipt_json text COLLATE "C" NOT NULL,
  accepted_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (agent_id, sequence)
);
CREATE TABLE agent_challenge (
  challenge_id text COLLATE "C" PRIMARY KEY,
  state text COLLATE "C" NOT NULL CHECK (state IN ('ISSUED', 'CONSUMED', 'SUPERSEDED', 'LOCKED')),
  client text COLLATE "C",
  event_json text COLLATE "C" NOT NULL,
  challenge_digest text COLLATE "C" NOT NULL,
  bad_proofs bigint NOT NULL CHECK (bad_proofs >= 0),
  issued_at text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C" NOT NULL,
  proof_digest text COLLATE "C",
  result_json text COLLATE "C", agent_id text COLLATE "C", parameter_digest text COLLATE "C", asked_by text COLLATE "C",
  CHECK ((state = 'CONSUMED') = (proof_digest IS NOT NULL AND result_json IS NOT NULL))
);
CREATE TABLE organization (
  organization_id text COLLATE "C" PRIMARY KEY,
  legal_name text COLLATE "C" NOT NULL,
  organization_digest text COLLATE "C" NOT NULL,
  tolerance text COLLATE "C" NOT NULL CHECK (tolerance IN ('LOW', 'MEDIUM', 'HIGH')),
  verification_method text COLLATE "C" NOT NULL,
  verification_reference text COLLATE "C" NOT NULL,
  verified_at text COLLATE "C" NOT NULL,
  valid_until text COLLATE "C" NOT NULL,
  verified_by text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('ACTIVE', 'REVOKED')),
  added_at text COLLATE "C" NOT NULL,
  revoked_at text COLLATE "C",
  revocation_reason text COLLATE "C",
  CHECK ((state = 'REVOKED') = (revoked_at IS NOT NULL))
);
CREATE TABLE mandate_key (
  organization_id text COLLATE "C" NOT NULL REFERENCES organization (organization_id),
  key_id text COLLATE "C" NOT NULL,
  x text COLLATE "C" NOT NULL,
  key_owner text COLLATE "C" NOT NULL UNIQUE,
  state text COLLATE "C" NOT NULL CHECK (state IN ('ACTIVE', 'REVOKED')),
  added_at text COLLATE "C" NOT NULL,
  revoked_at text COLLATE "C",
  revoked_since text COLLATE "C",
  revocation_reason text COLLATE "C",
  PRIMARY KEY (organization_id, key_id),
  CHECK ((state = 'REVOKED') = (revoked_at IS NOT NULL AND revoked_since IS NOT NULL))
);
CREATE TABLE delegation (
  delegation_id text COLLATE "C" PRIMARY KEY,
  organization_id text COLLATE "C" NOT NULL,
  agent_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  key_owner text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  permitted_intents text COLLATE "C" NOT NULL,
  max_payment_amount text COLLATE "C" NOT NULL,
  max_total_amount text COLLATE "C",
  max_requests_per_day bigint,
  currency text COLLATE "C" NOT NULL,
  valid_from text COLLATE "C" NOT NULL,
  valid_until text COLLATE "C" NOT NULL,
  nonce text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  content_digest text COLLATE "C" NOT NULL,
  document text COLLATE "C" NOT NULL,
  answer text COLLATE "C" NOT NULL,
  signed_by_key_id text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('ACTIVE', 'REVOKED')),
  recorded_at text COLLATE "C" NOT NULL,
  revoked_at text COLLATE "C",
  FOREIGN KEY (organization_id, signed_by_key_id) REFERENCES mandate_key (organization_id, key_id),
  UNIQUE (organization_id, nonce),
  UNIQUE (organization_id, idempotency_key),
  CHECK ((state = 'REVOKED') = (revoked_at IS NOT NULL))
);
CREATE TABLE buyer_revocation (
  organization_id text COLLATE "C" NOT NULL REFERENCES organization (organization_id),
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('DELEGATION', 'MANDATE')),
  subject_id text COLLATE "C" NOT NULL,
  content_digest text COLLATE "C" NOT NULL,
  document text COLLATE "C" NOT NULL,
  answer text COLLATE "C" NOT NULL,
  signed_by_key_id text COLLATE "C" NOT NULL,
  revoked_at text COLLATE "C" NOT NULL,
  FOREIGN KEY (organization_id, signed_by_key_id) REFERENCES mandate_key (organization_id, key_id),
  PRIMARY KEY (organization_id, kind, subject_id)
);
CREATE TABLE source_snapshot (
  snapshot_id text COLLATE "C" PRIMARY KEY,
  source_id text COLLATE "C" NOT NULL,
  source_url text COLLATE "C" NOT NULL,
  source_version text COLLATE "C" NOT NULL,
  source_timestamp text COLLATE "C",
  retrieved_at text COLLATE "C" NOT NULL,
  parser_version text COLLATE "C" NOT NULL,
  raw_sha256 text COLLATE "C" NOT NULL,
  parties_sha256 text COLLATE "C" NOT NULL,
  counts text COLLATE "C" NOT NULL,
  entries bigint NOT NULL,
  files text COLLATE "C" NOT NULL,
  findings text COLLATE "C" NOT NULL,
  imported_at text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('ACTIVE', 'KEPT', 'WITHDRAWN', 'DROPPED'))
, published_at text COLLATE "C", published_from text COLLATE "C" CHECK (published_from IN ('CONTENT', 'FILE_NAME', 'LAST_MODIFIED', 'STATED')), confirmed_at text COLLATE "C", size text COLLATE "C" CHECK (size IN ('WHOLE', 'UNDER_LEAST')), is_sample bigint NOT NULL DEFAULT 0 CHECK (is_sample IN (0, 1)), acceptances text COLLATE "C" NOT NULL DEFAULT '[]', content text COLLATE "C");
CREATE TABLE source_attempt (
  source_id text COLLATE "C" PRIMARY KEY,
  at text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('IMPORTED', 'REFUSED', 'ROLLED_BACK')),
  raw_sha256 text COLLATE "C" NOT NULL,
  findings text COLLATE "C" NOT NULL,
  schema_break bigint NOT NULL CHECK (schema_break IN (0, 1)),
  break_published text COLLATE "C"
);
CREATE TABLE source_event (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  source_id text COLLATE "C" NOT NULL,
  at text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('IMPORTED', 'REFUSED', 'ROLLED_BACK')),
  snapshot_id text COLLATE "C",
  raw_sha256 text COLLATE "C" NOT NULL,
  detail text COLLATE "C" NOT NULL
);
CREATE TABLE decision_request (
  id text COLLATE "C" PRIMARY KEY,
  product text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  request_digest text COLLATE "C" NOT NULL,
  body_digest text COLLATE "C" NOT NULL,
  request_json text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C",
  agent_id text COLLATE "C",
  key_id text COLLATE "C",
  delegation_id text COLLATE "C",
  mandate_delegation_id text COLLATE "C",
  amount_millionths text COLLATE "C",
  state text COLLATE "C" NOT NULL CHECK (state IN ('NEW', 'COMPUTED', 'DELIVERED')),
  created_at text COLLATE "C" NOT NULL,
  updated_at text COLLATE "C" NOT NULL, raw_body_digest text COLLATE "C",
  UNIQUE (product, scope, idempotency_key),
  UNIQUE (product, scope, request_digest)
);
CREATE TABLE entitlement (
  request_digest text COLLATE "C" PRIMARY KEY,
  rail text COLLATE "C" NOT NULL CHECK (rail IN ('x402', 'acp')),
  request_id text COLLATE "C" NOT NULL REFERENCES decision_request (id),
  acquired_at text COLLATE "C" NOT NULL
);
CREATE TABLE purchase (
  id text COLLATE "C" PRIMARY KEY,
  request_id text COLLATE "C" NOT NULL REFERENCES decision_request (id),
  rail text COLLATE "C" NOT NULL CHECK (rail IN ('x402', 'acp')),
  state text COLLATE "C" NOT NULL CHECK (state IN ('LIVE', 'OWED', 'ACQUIRED', 'ENDED')),
  reference text COLLATE "C",
  created_at text COLLATE "C" NOT NULL,
  CHECK (state <> 'ACQUIRED' OR reference IS NOT NULL)
);
CREATE TABLE "payment_attempt" (
  id text COLLATE "C" PRIMARY KEY REFERENCES purchase (id),
  request_id text COLLATE "C" NOT NULL REFERENCES decision_request (id),
  chain_id bigint NOT NULL,
  asset text COLLATE "C" NOT NULL,
  payer text COLLATE "C" NOT NULL,
  nonce text COLLATE "C" NOT NULL,
  pay_to text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  valid_after bigint NOT NULL,
  valid_before bigint NOT NULL,
  max_timeout_seconds bigint NOT NULL,
  quote_id text COLLATE "C" NOT NULL,
  payload_json text COLLATE "C",
  payload_sha256 text COLLATE "C" NOT NULL,
  payer_has_code bigint NOT NULL CHECK (payer_has_code IN (0, 1)),
  payer_code_hash text COLLATE "C",
  already_used bigint NOT NULL DEFAULT 0 CHECK (already_used IN (0, 1)),
  settler text COLLATE "C" NOT NULL CHECK (settler IN ('self', 'http')),
  state text COLLATE "C" NOT NULL CHECK (state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'SETTLED', 'FAILED', 'RELEASED', 'PAID_OWED')),
  reason text COLLATE "C",
  watched bigint NOT NULL CHECK (watched IN (0, 1)),
  settled_tx text COLLATE "C",
  settled_log_index bigint,
  settled_block text COLLATE "C",
  settled_block_hash text COLLATE "C",
  finality text COLLATE "C" CHECK (finality IN ('INCLUDED', 'SAFE', 'UNPAID_AFTER_REORG')),
  lease_owner text COLLATE "C",
  lease_until text COLLATE "C",
  look_at text COLLATE "C",
  created_at text COLLATE "C" NOT NULL,
  updated_at text COLLATE "C" NOT NULL,
  UNIQUE (chain_id, asset, payer, nonce)
);
CREATE TABLE payment_event (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  attempt_id text COLLATE "C" NOT NULL REFERENCES payment_attempt (id),
  at text COLLATE "C" NOT NULL,
  from_state text COLLATE "C",
  to_state text COLLATE "C" NOT NULL,
  detail text COLLATE "C" NOT NULL
);
CREATE TABLE relayer_nonce (
  relayer text COLLATE "C" NOT NULL,
  nonce bigint NOT NULL,
  attempt_id text COLLATE "C" REFERENCES payment_attempt (id),
  state text COLLATE "C" NOT NULL CHECK (state IN ('ALLOCATED', 'STORED', 'MINED')),
  created_at text COLLATE "C" NOT NULL,
  updated_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (relayer, nonce)
);
CREATE TABLE relayer_transaction (
  tx_hash text COLLATE "C" PRIMARY KEY,
  relayer text COLLATE "C" NOT NULL,
  nonce bigint NOT NULL,
  raw text COLLATE "C" NOT NULL,
  max_fee_wei text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  FOREIGN KEY (relayer, nonce) REFERENCES relayer_nonce (relayer, nonce)
);
CREATE TABLE burned_gas (
  code_hash text COLLATE "C" NOT NULL,
  day text COLLATE "C" NOT NULL,
  wei text COLLATE "C" NOT NULL,
  PRIMARY KEY (code_hash, day)
);
CREATE TABLE "delivery" (
  request_id text COLLATE "C" PRIMARY KEY REFERENCES decision_request (id),
  purchase_id text COLLATE "C" NOT NULL REFERENCES purchase (id),
  decision_id text COLLATE "C" NOT NULL UNIQUE,
  delivery_reference text COLLATE "C" NOT NULL UNIQUE,
  core_json text COLLATE "C" NOT NULL,
  facts_json text COLLATE "C" NOT NULL,
  capsule_json text COLLATE "C" NOT NULL,
  capsule_digest text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  valid_until text COLLATE "C" NOT NULL,
  computed_at text COLLATE "C" NOT NULL,
  body text COLLATE "C",
  response_digest text COLLATE "C",
  payment_response text COLLATE "C",
  arrival text COLLATE "C" CHECK (arrival IN ('IN_TIME', 'EXPIRED_ON_ARRIVAL')),
  delivered_at text COLLATE "C",
  log_index bigint CHECK (log_index >= 0),
  companion_id text COLLATE "C",
  companion_json text COLLATE "C"
);
CREATE TABLE delivery_snapshot (
  request_id text COLLATE "C" NOT NULL REFERENCES delivery (request_id) ON DELETE CASCADE,
  snapshot_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (request_id, snapshot_id)
);
CREATE TABLE redelivery (
  request_id text COLLATE "C" PRIMARY KEY REFERENCES decision_request (id),
  scope text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  until text COLLATE "C" NOT NULL,
  used_by text COLLATE "C" REFERENCES decision_request (id)
);
CREATE TABLE authorization_record (
  request_id text COLLATE "C" PRIMARY KEY REFERENCES decision_request (id),
  organization_id text COLLATE "C" NOT NULL,
  supplier_key text COLLATE "C" NOT NULL,
  supplier_entity_id text COLLATE "C" NOT NULL,
  supplier_name_key text COLLATE "C" NOT NULL,
  obligation_key text COLLATE "C" NOT NULL,
  document_digest text COLLATE "C" NOT NULL,
  instruction_digest text COLLATE "C" NOT NULL,
  payee_fingerprint text COLLATE "C" NOT NULL,
  destination_fingerprint text COLLATE "C" NOT NULL,
  mandate_key_id text COLLATE "C" NOT NULL,
  decision text COLLATE "C" NOT NULL,
  decision_id text COLLATE "C" NOT NULL,
  response_digest text COLLATE "C" NOT NULL,
  decided_at text COLLATE "C" NOT NULL,
  valid_until text COLLATE "C" NOT NULL
, supplier_id text COLLATE "C");
CREATE TABLE log_head (
  id bigint PRIMARY KEY CHECK (id = 1),
  tree_size bigint NOT NULL CHECK (tree_size >= 0),
  -- Hashes of the perfect subtrees that cover the tree, largest first: what the next leaf is added to.
  frontier bytea NOT NULL CHECK (length(frontier) % 32 = 0),
  map_root bytea NOT NULL CHECK (length(map_root) = 32)
);
CREATE TABLE log_leaf (
  log_index bigint PRIMARY KEY,
  data bytea NOT NULL CHECK (length(data) = 96)
);
CREATE TABLE log_node (
  level bigint NOT NULL,
  node_index bigint NOT NULL,
  hash bytea NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (level, node_index)
);
CREATE TABLE log_map_entry (
  map_key bytea PRIMARY KEY CHECK (length(map_key) = 32),
  event_digest bytea NOT NULL CHECK (length(event_digest) = 32),
  log_index bigint NOT NULL
);
CREATE TABLE log_map_branch (
  position bytea PRIMARY KEY,
  left_hash bytea NOT NULL CHECK (length(left_hash) = 32),
  right_hash bytea NOT NULL CHECK (length(right_hash) = 32)
);
CREATE TABLE signature_nonce (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  nonce_digest text COLLATE "C" NOT NULL UNIQUE,
  record_id text COLLATE "C" NOT NULL,
  agent_id text COLLATE "C" NOT NULL REFERENCES agent (agent_id),
  expires_at text COLLATE "C" NOT NULL
);
CREATE TABLE artifact_registration (
  statement_digest text COLLATE "C" PRIMARY KEY,
  registration_id text COLLATE "C" NOT NULL UNIQUE,
  payload_digest text COLLATE "C" NOT NULL,
  agent_id text COLLATE "C" NOT NULL REFERENCES agent (agent_id),
  key_id text COLLATE "C" NOT NULL,
  registered_at text COLLATE "C" NOT NULL,
  log_index bigint NOT NULL UNIQUE,
  invitation_reference text COLLATE "C" UNIQUE
);
CREATE TABLE invitation (
  reference text COLLATE "C" PRIMARY KEY CHECK (length(reference) = 32),
  created_at text COLLATE "C" NOT NULL
);
CREATE TABLE service_identity (
  use text COLLATE "C" PRIMARY KEY CHECK (use IN ('statement', 'log', 'sandbox')),
  agent_id text COLLATE "C" NOT NULL UNIQUE REFERENCES agent (agent_id)
);
CREATE TABLE suppression (
  suppression_id text COLLATE "C" PRIMARY KEY,
  party_digest text COLLATE "C" NOT NULL,
  -- The screened party as it was judged, JSON.
  party text COLLATE "C" NOT NULL,
  source_id text COLLATE "C" NOT NULL,
  entry_id text COLLATE "C" NOT NULL,
  entry_hash text COLLATE "C" NOT NULL,
  author text COLLATE "C" NOT NULL CHECK (length(author) BETWEEN 1 AND 160),
  reason text COLLATE "C" NOT NULL CHECK (length(reason) BETWEEN 1 AND 1000),
  created_at text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C" NOT NULL,
  CHECK (expires_at > created_at)
);
CREATE TABLE suppression_event (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  suppression_id text COLLATE "C" NOT NULL REFERENCES suppression (suppression_id),
  at text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('ADDED', 'REVOKED')),
  author text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL
);
CREATE TABLE register_request_count (
  key_digest text COLLATE "C" NOT NULL,
  second bigint NOT NULL,
  requests bigint NOT NULL,
  PRIMARY KEY (key_digest, second)
);
CREATE TABLE register_service_pause (
  key_digest text COLLATE "C" PRIMARY KEY,
  until text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  failures bigint NOT NULL
);
CREATE TABLE register_answer (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  source_url text COLLATE "C" NOT NULL UNIQUE,
  status bigint NOT NULL CHECK (status IN (200, 404)),
  body bytea NOT NULL,
  etag text COLLATE "C",
  raw_sha256 text COLLATE "C" NOT NULL,
  retrieved_at text COLLATE "C" NOT NULL
);
CREATE TABLE source_check (
  source_id text COLLATE "C" PRIMARY KEY,
  attempted_at text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('IMPORTED', 'NOT_MODIFIED', 'REFUSED', 'FAILED')),
  code text COLLATE "C",
  detail text COLLATE "C",
  failures bigint NOT NULL CHECK (failures >= 0),
  retry_after_until text COLLATE "C",
  checked_at text COLLATE "C",
  checked_snapshot_id text COLLATE "C",
  files_checked_at text COLLATE "C",
  validators text COLLATE "C" NOT NULL,
  marker text COLLATE "C",
  CHECK ((checked_at IS NULL) = (checked_snapshot_id IS NULL))
);
CREATE TABLE source_health_event (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  source_id text COLLATE "C" NOT NULL,
  at text COLLATE "C" NOT NULL,
  from_health text COLLATE "C",
  to_health text COLLATE "C" NOT NULL CHECK (to_health IN ('HEALTHY', 'STALE', 'SCHEMA_BREAK', 'UNAVAILABLE', 'DISABLED')),
  reason_codes text COLLATE "C" NOT NULL,
  snapshot_id text COLLATE "C"
);
CREATE TABLE answer_record (
  request_id text COLLATE "C" PRIMARY KEY REFERENCES decision_request (id),
  product text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C",
  key_id text COLLATE "C",
  execution_id text COLLATE "C" NOT NULL UNIQUE,
  core_digest text COLLATE "C" NOT NULL UNIQUE,
  subject text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  obligation_key text COLLATE "C",
  document_digest text COLLATE "C",
  payee_fingerprint text COLLATE "C",
  destination_fingerprint text COLLATE "C",
  decision text COLLATE "C" NOT NULL,
  decided_at text COLLATE "C" NOT NULL,
  valid_until text COLLATE "C" NOT NULL
, supplier_id text COLLATE "C", organization_supplier_id text COLLATE "C");
CREATE TABLE authorization_token (
  token_hash text COLLATE "C" PRIMARY KEY CHECK (length(token_hash) = 64),
  request_id text COLLATE "C" NOT NULL REFERENCES decision_request (id),
  execution_id text COLLATE "C" NOT NULL UNIQUE,
  product text COLLATE "C" NOT NULL,
  country text COLLATE "C" NOT NULL CHECK (country IN ('GB', 'US')),
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('PAYMENT', 'VENDOR_CHANGE')),
  -- What a redeemer repeats, canonical JSON.
  binding_json text COLLATE "C" NOT NULL,
  -- Lower-case address of the wallet that bought it.
  wallet text COLLATE "C" NOT NULL,
  -- Digest of the answer's core: how a Payment Decision names a change authorization.
  evidence_reference text COLLATE "C" NOT NULL UNIQUE,
  issued_at text COLLATE "C" NOT NULL,
  -- May lie before issued_at: an answer can arrive later than it was valid, and is delivered all the same.
  expires_at text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('ISSUED', 'SPENT', 'REVOKED', 'EXPIRED')),
  changed_at text COLLATE "C",
  -- Of the request that spent or revoked it.
  idempotency_key text COLLATE "C",
  request_digest text COLLATE "C",
  revocation_reason text COLLATE "C",
  -- The request whose decision spent it, where nobody redeemed it.
  spent_by text COLLATE "C" REFERENCES decision_request (id),
  CHECK ((state = 'ISSUED') = (changed_at IS NULL)),
  CHECK ((idempotency_key IS NULL) = (request_digest IS NULL)),
  CHECK (idempotency_key IS NULL OR state IN ('SPENT', 'REVOKED')),
  CHECK ((state = 'REVOKED') = (revocation_reason IS NOT NULL)),
  CHECK (spent_by IS NULL OR state = 'SPENT')
);
CREATE TABLE unsettled_value (
  chain_id bigint NOT NULL,
  asset text COLLATE "C" NOT NULL,
  payer text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  PRIMARY KEY (chain_id, asset, payer)
);
CREATE TABLE delegation_total (
  delegation_id text COLLATE "C" PRIMARY KEY,
  millionths text COLLATE "C" NOT NULL
);
CREATE TABLE delegation_day (
  delegation_id text COLLATE "C" NOT NULL,
  day text COLLATE "C" NOT NULL,
  requests bigint NOT NULL CHECK (requests >= 0),
  PRIMARY KEY (delegation_id, day)
);
CREATE TABLE source_acceptance (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  source_id text COLLATE "C" NOT NULL,
  at text COLLATE "C" NOT NULL,
  raw_sha256 text COLLATE "C" NOT NULL,
  what text COLLATE "C" NOT NULL CHECK (what IN ('OLD', 'SMALL')),
  reason text COLLATE "C" NOT NULL,
  snapshot_id text COLLATE "C" NOT NULL
, content text COLLATE "C");
CREATE TABLE wallet_entry (
  wallet_entry_id text COLLATE "C" PRIMARY KEY,
  agent_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('SANDBOX', 'LIVE')),
  -- Counts up within one wallet: the order of its inventory.
  seq bigint NOT NULL,
  type text COLLATE "C" NOT NULL,
  artifact_digest text COLLATE "C" NOT NULL,
  issuer text COLLATE "C" NOT NULL,
  -- The product whose purchase it may replace.
  product text COLLATE "C",
  -- JSON: digest(C14N(value)) by pointer into the request of that product.
  subject_digests text COLLATE "C" NOT NULL,
  signing_key_id text COLLATE "C" NOT NULL,
  -- Core digest of the answer that it proves: a change authorization's token is found by it.
  reference text COLLATE "C",
  decision text COLLATE "C",
  -- JSON: what was found when it was verified.
  verification text COLLATE "C" NOT NULL,
  valid_as_of text COLLATE "C",
  valid_until text COLLATE "C",
  imported_at text COLLATE "C" NOT NULL,
  until text COLLATE "C" NOT NULL,
  -- Zero without a document.
  document_bytes bigint NOT NULL CHECK (document_bytes >= 0)
, document_digest text COLLATE "C");
CREATE TABLE wallet_document (
  wallet_entry_id text COLLATE "C" PRIMARY KEY,
  bytes bytea NOT NULL
);
CREATE TABLE wallet_usage (
  agent_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  last_seq bigint NOT NULL,
  entries bigint NOT NULL CHECK (entries >= 0),
  document_bytes bigint NOT NULL CHECK (document_bytes >= 0),
  -- The UTC hour of `imports`, such as 2026-11-23T10.
  hour text COLLATE "C" NOT NULL,
  imports bigint NOT NULL,
  PRIMARY KEY (agent_id, environment)
);
CREATE TABLE wallet_request (
  agent_id text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  request_digest text COLLATE "C" NOT NULL,
  response text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (agent_id, idempotency_key)
);
CREATE TABLE sales_switch (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  at text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL CHECK (action IN ('STOP', 'START', 'WINDOW')),
  opens text COLLATE "C",
  closes text COLLATE "C",
  reason text COLLATE "C" NOT NULL,
  CHECK ((action = 'WINDOW') = (opens IS NOT NULL AND closes IS NOT NULL))
);
CREATE TABLE sales_opt_out (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  agent_id text COLLATE "C" NOT NULL REFERENCES agent (agent_id),
  scope text COLLATE "C" NOT NULL CHECK (scope IN ('ALL', 'PRODUCT', 'CHANNEL')),
  value text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL CHECK (action IN ('OPT_OUT', 'OPT_IN')),
  effective_at text COLLATE "C" NOT NULL,
  request_digest text COLLATE "C" NOT NULL
);
CREATE TABLE sales_dialogue (
  agent_id text COLLATE "C" NOT NULL REFERENCES agent (agent_id),
  dialogue_id text COLLATE "C" NOT NULL,
  turn bigint NOT NULL CHECK (turn BETWEEN 0 AND 31),
  last_digest text COLLATE "C" NOT NULL,
  last_offers text COLLATE "C" NOT NULL,
  ends_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (agent_id, dialogue_id)
);
CREATE TABLE sales_offer (
  offer_capsule_id text COLLATE "C" PRIMARY KEY,
  agent_id text COLLATE "C" NOT NULL,
  product_id text COLLATE "C" NOT NULL,
  presentations bigint NOT NULL CHECK (presentations >= 1),
  state text COLLATE "C" NOT NULL CHECK (state IN ('QUEUED', 'RETRYING', 'DELIVERED')),
  capsule text COLLATE "C" NOT NULL,
  valid_until text COLLATE "C" NOT NULL
);
CREATE TABLE beacon_consent (
  agent_id text COLLATE "C" NOT NULL REFERENCES agent (agent_id),
  consent_id text COLLATE "C" NOT NULL,
  terms text COLLATE "C" NOT NULL,
  request_digest text COLLATE "C" NOT NULL,
  granted_at text COLLATE "C" NOT NULL,
  valid_until text COLLATE "C" NOT NULL,
  revoked_at text COLLATE "C",
  ended_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (agent_id, consent_id)
);
CREATE TABLE beacon_consent_day (
  agent_id text COLLATE "C" NOT NULL,
  consent_id text COLLATE "C" NOT NULL,
  day text COLLATE "C" NOT NULL,
  events bigint NOT NULL CHECK (events >= 1),
  PRIMARY KEY (agent_id, consent_id, day)
);
CREATE TABLE planning_continuation (
  continuation_id text COLLATE "C" PRIMARY KEY,
  used_by text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C" NOT NULL
);
CREATE TABLE wallet_total (
  id bigint PRIMARY KEY CHECK (id = 1),
  entries bigint NOT NULL CHECK (entries >= 0),
  document_bytes bigint NOT NULL CHECK (document_bytes >= 0),
  answers bigint NOT NULL CHECK (answers >= 0)
);
CREATE TABLE "acp_job" (
  id text COLLATE "C" PRIMARY KEY,
  chain_id bigint NOT NULL,
  contract text COLLATE "C" NOT NULL,
  job_id text COLLATE "C" NOT NULL,
  client text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  evaluator text COLLATE "C" NOT NULL,
  hook text COLLATE "C" NOT NULL,
  expired_at bigint NOT NULL,
  created_block text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('SEEN', 'AWAITING_REQUIREMENT', 'REQUIREMENT_VERIFIED', 'BUDGET_PREPARED', 'BUDGET_PROPOSED',
    'FUNDING_SEEN', 'FUNDING_SAFE', 'DECISION_READY', 'DELIVERABLE_FROZEN', 'DELIVERABLE_POSTED', 'SUBMIT_PREPARED', 'SUBMITTED',
    'SUBMITTED_SAFE', 'COMPLETED', 'REJECTED', 'EXPIRED', 'REFUSED', 'WITHDRAWN', 'DEADLINE_MISSED', 'FUNDING_MISMATCH',
    'SUBMIT_MISMATCH', 'UNPAID_AFTER_DELIVERY')),
  reason text COLLATE "C",
  request_id text COLLATE "C" REFERENCES decision_request (id),
  requirement_json text COLLATE "C",
  requirement_digest text COLLATE "C",
  binding_digest text COLLATE "C",
  funding_json text COLLATE "C",
  lease_owner text COLLATE "C",
  look_at text COLLATE "C",
  created_at text COLLATE "C" NOT NULL,
  updated_at text COLLATE "C" NOT NULL,
  replaced_at text COLLATE "C"
);
CREATE TABLE acp_event (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  job text COLLATE "C" NOT NULL REFERENCES acp_job (id),
  at text COLLATE "C" NOT NULL,
  from_state text COLLATE "C",
  to_state text COLLATE "C" NOT NULL,
  detail text COLLATE "C" NOT NULL
);
CREATE TABLE acp_entry (
  job text COLLATE "C" NOT NULL REFERENCES acp_job (id),
  entry_key text COLLATE "C" NOT NULL,
  received_at text COLLATE "C" NOT NULL,
  verdict text COLLATE "C" NOT NULL CHECK (verdict IN ('DRAFT', 'ACCEPTED', 'IGNORED', 'REFUSED', 'SERVED_AGAIN')),
  code text COLLATE "C",
  PRIMARY KEY (job, entry_key)
);
CREATE TABLE acp_notice (
  job text COLLATE "C" NOT NULL REFERENCES acp_job (id),
  code text COLLATE "C" NOT NULL,
  text text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  posted_at text COLLATE "C",
  PRIMARY KEY (job, code)
);
CREATE TABLE acp_action (
  job text COLLATE "C" NOT NULL REFERENCES acp_job (id),
  action text COLLATE "C" NOT NULL CHECK (action IN ('SET_BUDGET', 'SUBMIT')),
  wallet text COLLATE "C" NOT NULL,
  nonce bigint NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('OPEN', 'SAFE', 'REVERTED')),
  created_at text COLLATE "C" NOT NULL,
  updated_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (job, action)
);
CREATE TABLE acp_transaction (
  tx_hash text COLLATE "C" PRIMARY KEY,
  job text COLLATE "C" NOT NULL REFERENCES acp_job (id),
  action text COLLATE "C" NOT NULL,
  nonce bigint NOT NULL,
  raw text COLLATE "C" NOT NULL,
  max_fee_wei text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL
);
CREATE TABLE acp_deliverable (
  job text COLLATE "C" PRIMARY KEY REFERENCES acp_job (id),
  text text COLLATE "C" NOT NULL,
  sha256 text COLLATE "C" NOT NULL,
  keccak256 text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  posted_at text COLLATE "C"
);
CREATE TABLE acp_fact (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  job text COLLATE "C" NOT NULL REFERENCES acp_job (id),
  fact text COLLATE "C" NOT NULL CHECK (fact IN ('FUNDING', 'SUBMISSION', 'COMPLETION', 'PAYOUT', 'REFUND', 'REJECTION', 'EXPIRY')),
  level text COLLATE "C" NOT NULL CHECK (level IN ('LATEST', 'SAFE', 'FINALIZED', 'ORPHANED')),
  tx_hash text COLLATE "C" NOT NULL,
  log_index bigint NOT NULL,
  block_number text COLLATE "C" NOT NULL,
  block_hash text COLLATE "C" NOT NULL,
  token text COLLATE "C",
  from_address text COLLATE "C",
  to_address text COLLATE "C",
  amount_atomic text COLLATE "C",
  deliverable_hash text COLLATE "C",
  observed_at text COLLATE "C" NOT NULL,
  UNIQUE (job, fact, tx_hash, log_index, block_hash, level)
);
CREATE TABLE acp_cursor (
  contract text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  block_number text COLLATE "C" NOT NULL,
  updated_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (contract, provider)
);
CREATE TABLE acp_switch (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  at text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL CHECK (action IN ('PAUSE', 'RESUME')),
  reason text COLLATE "C" NOT NULL
);
CREATE TABLE acp_look (
  owner text COLLATE "C" PRIMARY KEY,
  at text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  reasons text COLLATE "C" NOT NULL,
  platform_fee_bp bigint,
  evaluator_fee_bp bigint,
  balance_wei text COLLATE "C"
);
CREATE TABLE email_challenge (
  id text COLLATE "C" PRIMARY KEY,
  mailbox text COLLATE "C" NOT NULL,
  request_digest text COLLATE "C" NOT NULL,
  token_hash text COLLATE "C" NOT NULL UNIQUE,
  issued_at text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('OPEN', 'CONSUMED', 'SUPERSEDED'))
);
CREATE TABLE mail_in (
  id text COLLATE "C" PRIMARY KEY,
  raw bytea,
  received_at text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('RECEIVED', 'DONE', 'DROPPED')),
  reason text COLLATE "C",
  attempts bigint NOT NULL,
  lease_owner text COLLATE "C",
  look_at text COLLATE "C"
);
CREATE TABLE mail_out (
  id text COLLATE "C" PRIMARY KEY,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('CHALLENGE', 'REPLY', 'FAULT')),
  mailbox text COLLATE "C" NOT NULL,
  null_sender bigint NOT NULL CHECK (null_sender IN (0, 1)),
  raw text COLLATE "C",
  state text COLLATE "C" NOT NULL CHECK (state IN ('QUEUED', 'SENT', 'FAILED', 'EXPIRED', 'STOPPED', 'SUPERSEDED')),
  reason text COLLATE "C",
  attempts bigint NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  give_up_at text COLLATE "C" NOT NULL,
  lease_owner text COLLATE "C",
  look_at text COLLATE "C"
);
CREATE TABLE lost_transfer (
  chain_id bigint NOT NULL,
  tx_hash text COLLATE "C" NOT NULL,
  log_index bigint NOT NULL,
  payer text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  nonce text COLLATE "C",
  block_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (chain_id, tx_hash, log_index)
);
CREATE TABLE "used_nonce" (
  scope text COLLATE "C" NOT NULL,
  nonce text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C" NOT NULL,
  UNIQUE (scope, nonce)
);
CREATE TABLE agent_message (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  agent_id text COLLATE "C" NOT NULL,
  domain text COLLATE "C" NOT NULL,
  request_digest text COLLATE "C" NOT NULL,
  response text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C" NOT NULL,
  key_mark bytea NOT NULL,
  nonce_mark bytea NOT NULL,
  -- If the message is the one with which an event of the Beacon was counted.
  event_mark bytea
);
CREATE TABLE agent_message_mark (
  mark bytea PRIMARY KEY,
  message_id bigint NOT NULL
);
CREATE TABLE suppression_use (
  suppression_id text COLLATE "C" PRIMARY KEY,
  last_at text COLLATE "C" NOT NULL,
  -- Delivered answers so far.
  times bigint NOT NULL CHECK (times > 0)
);
CREATE TABLE supplier (
  owner_id text COLLATE "C" NOT NULL,
  -- The request whose delivery made it.
  supplier_id text COLLATE "C" NOT NULL,
  root_id text COLLATE "C" NOT NULL,
  -- A stored record contradicted it when the sets were made.
  disputed bigint NOT NULL CHECK (disputed IN (0, 1)),
  created_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_id, supplier_id)
);
CREATE TABLE supplier_identifier (
  owner_id text COLLATE "C" NOT NULL,
  -- Such as `lei:…`.
  key text COLLATE "C" NOT NULL,
  supplier_id text COLLATE "C" NOT NULL,
  -- Only an anchor vouches. Both link.
  grade text COLLATE "C" NOT NULL CHECK (grade IN ('ANCHOR', 'ADDED')),
  -- What gave the grade, when, and the key that signed it. If that key was lost by then, the identifier counts as ADDED.
  request_id text COLLATE "C" NOT NULL,
  graded_at text COLLATE "C" NOT NULL,
  key_id text COLLATE "C",
  PRIMARY KEY (owner_id, key)
);
CREATE TABLE supplier_name (
  owner_id text COLLATE "C" NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  supplier_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_id, name_key, supplier_id)
);
CREATE TABLE supplier_entity (
  owner_id text COLLATE "C" NOT NULL,
  entity_id text COLLATE "C" NOT NULL,
  supplier_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_id, entity_id)
);
CREATE TABLE supplier_distinct (
  owner_id text COLLATE "C" NOT NULL,
  one text COLLATE "C" NOT NULL,
  other text COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_id, one, other)
);
CREATE TABLE record_anchor (
  owner_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  -- Empty for an answer without one.
  destination text COLLATE "C" NOT NULL,
  decided_at text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL REFERENCES decision_request (id),
  PRIMARY KEY (owner_id, key, destination, decided_at, request_id)
);
CREATE TABLE "authority_hold" (
  organization_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK
    (kind IN ('OBLIGATION', 'MANDATE_ID', 'MANDATE_NONCE', 'CHALLENGE', 'CHANGE_AUTHORIZATION', 'SUPPLIER')),
  value text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL REFERENCES decision_request (id),
  spent bigint NOT NULL CHECK (spent IN (0, 1)),
  has_attempt bigint NOT NULL DEFAULT 0 CHECK (has_attempt IN (0, 1)),
  PRIMARY KEY (organization_id, kind, value)
);
CREATE TABLE spent_change (
  organization_id text COLLATE "C" NOT NULL,
  supplier_id text COLLATE "C" NOT NULL,
  changed_at text COLLATE "C" NOT NULL,
  execution_id text COLLATE "C" NOT NULL REFERENCES authorization_token (execution_id),
  PRIMARY KEY (organization_id, supplier_id, changed_at, execution_id)
);
CREATE TABLE shared_use (
  cap text COLLATE "C" NOT NULL,
  share text COLLATE "C" NOT NULL,
  opened_at bigint NOT NULL,
  used bigint NOT NULL,
  used_at bigint NOT NULL,
  PRIMARY KEY (cap, share)
);
CREATE TABLE "contact_stop" (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  mailbox text COLLATE "C" NOT NULL UNIQUE,
  domain text COLLATE "C" NOT NULL,
  stopped_at text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL CHECK (source IN ('PROVED', 'UNPROVED'))
);
CREATE TABLE contact_stop_count (
  source text COLLATE "C" PRIMARY KEY CHECK (source IN ('PROVED', 'UNPROVED')),
  stops bigint NOT NULL
);
CREATE TABLE supplier_statement (
  organization_id text COLLATE "C" NOT NULL,
  nonce text COLLATE "C" NOT NULL,
  -- Canonical JSON, with its signature.
  document text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  applied_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (organization_id, nonce)
);
CREATE TABLE "restore_confirmation" (
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('SUPPRESSION', 'ORGANIZATION', 'MANDATE_KEY', 'AGENT')),
  subject text COLLATE "C" NOT NULL,
  confirmed_at text COLLATE "C" NOT NULL,
  author text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  PRIMARY KEY (kind, subject, confirmed_at)
);
CREATE TABLE "attempt_count" (
  state text COLLATE "C" NOT NULL CHECK (state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'SETTLED', 'FAILED', 'RELEASED', 'PAID_OWED')),
  slot bigint NOT NULL,
  entered bigint NOT NULL,
  -- Below zero where more attempts left the state than entered it. The sum over the slots is not.
  present bigint NOT NULL,
  PRIMARY KEY (state, slot)
);
CREATE TABLE "decision_count" (
  product text COLLATE "C" NOT NULL,
  decision text COLLATE "C" NOT NULL,
  slot bigint NOT NULL,
  answers bigint NOT NULL,
  PRIMARY KEY (product, decision, slot)
);
CREATE TABLE "beacon_count" (
  day text COLLATE "C" NOT NULL,
  event_kind text COLLATE "C" NOT NULL,
  product_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  slot bigint NOT NULL,
  events bigint NOT NULL CHECK (events >= 1),
  PRIMARY KEY (day, event_kind, product_id, channel, slot)
);
CREATE TABLE "channel_entry" (
  day text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  slot bigint NOT NULL,
  entries bigint NOT NULL CHECK (entries > 0),
  PRIMARY KEY (day, channel, slot)
);
CREATE TABLE log_pending (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  kind text COLLATE "C" NOT NULL,
  digest text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL
);
CREATE TABLE change_count (
  subject text COLLATE "C" PRIMARY KEY CHECK (subject IN ('SOURCES', 'SUPPRESSIONS')),
  changes bigint NOT NULL
);
CREATE TABLE instance (
  instance_id text COLLATE "C" PRIMARY KEY,
  seen_at text COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX service_key_one_active ON service_key (use) WHERE status = 'ACTIVE';
CREATE INDEX agent_key_agent ON agent_key (agent_id);
CREATE UNIQUE INDEX agent_key_one_active ON agent_key (agent_id, role) WHERE status = 'ACTIVE';
CREATE INDEX agent_challenge_client ON agent_challenge (client, expires_at) WHERE client IS NOT NULL;
CREATE INDEX agent_challenge_open ON agent_challenge (expires_at) WHERE client IS NOT NULL;
CREATE INDEX delegation_of_key ON delegation (organization_id, agent_id, key_id);
CREATE UNIQUE INDEX source_snapshot_one_active ON source_snapshot (source_id) WHERE state = 'ACTIVE';
CREATE INDEX source_event_of ON source_event (source_id, id);
CREATE INDEX payment_event_attempt ON payment_event (attempt_id);
CREATE INDEX relayer_nonce_open ON relayer_nonce (relayer, nonce) WHERE state IN ('ALLOCATED', 'STORED');
CREATE INDEX delivery_snapshot_of ON delivery_snapshot (snapshot_id);
CREATE INDEX authorization_record_response ON authorization_record (organization_id, response_digest);
CREATE INDEX agent_challenge_agent ON agent_challenge (agent_id, issued_at) WHERE agent_id IS NOT NULL AND state = 'ISSUED';
CREATE INDEX agent_challenge_uncounted ON agent_challenge (expires_at) WHERE client IS NULL AND state <> 'CONSUMED';
CREATE INDEX signature_nonce_expiry ON signature_nonce (expires_at);
CREATE INDEX signature_nonce_agent ON signature_nonce (agent_id, expires_at);
CREATE INDEX suppression_of ON suppression (party_digest, source_id, entry_id, entry_hash);
CREATE UNIQUE INDEX suppression_event_once ON suppression_event (suppression_id, kind);
CREATE INDEX source_health_event_of ON source_health_event (source_id, id);
CREATE INDEX entitlement_request ON entitlement (request_id);
CREATE INDEX authorization_token_request ON authorization_token (request_id);
CREATE INDEX authorization_token_spender ON authorization_token (spent_by) WHERE spent_by IS NOT NULL;
CREATE INDEX redelivery_used ON redelivery (used_by) WHERE used_by IS NOT NULL;
CREATE INDEX redelivery_open ON redelivery (scope, subject, until, request_id) WHERE used_by IS NULL;
CREATE INDEX relayer_nonce_attempt ON relayer_nonce (attempt_id, nonce, relayer);
CREATE INDEX relayer_nonce_mined ON relayer_nonce (relayer, nonce, updated_at) WHERE state = 'MINED';
CREATE INDEX relayer_nonce_mined_at ON relayer_nonce (relayer, updated_at, nonce) WHERE state = 'MINED';
CREATE INDEX relayer_transaction_nonce ON relayer_transaction (relayer, nonce, created_at, tx_hash);
CREATE INDEX authorization_record_document ON authorization_record (organization_id, document_digest, decided_at, request_id)
  WHERE decision IN ('ALLOW', 'ALLOW_WITH_CONDITIONS');
CREATE INDEX authorization_record_instruction ON authorization_record (organization_id, instruction_digest, decided_at, request_id)
  WHERE decision IN ('ALLOW', 'ALLOW_WITH_CONDITIONS');
CREATE INDEX answer_record_document ON answer_record (owner, product, document_digest, decided_at, request_id)
  WHERE decision IN ('APPROVE', 'CONDITIONAL');
CREATE INDEX delegation_of_owner ON delegation (key_owner, organization_id);
CREATE INDEX delegation_of_key_id ON delegation (organization_id, key_id);
CREATE INDEX suppression_expiry ON suppression (expires_at);
CREATE INDEX source_snapshot_on_disk ON source_snapshot (source_id, imported_at, snapshot_id) WHERE state <> 'DROPPED';
CREATE INDEX source_snapshot_of_bytes ON source_snapshot (source_id, raw_sha256, retrieved_at);
CREATE INDEX source_acceptance_of ON source_acceptance (source_id, id);
CREATE INDEX source_acceptance_of_bytes ON source_acceptance (source_id, raw_sha256, id);
CREATE INDEX authorization_record_current
  ON authorization_record (organization_id, obligation_key, valid_until, request_id)
  WHERE decision IN ('ALLOW', 'ALLOW_WITH_CONDITIONS');
CREATE INDEX answer_record_current ON answer_record (owner, product, obligation_key, valid_until, request_id)
  WHERE decision IN ('APPROVE', 'CONDITIONAL');
CREATE INDEX source_snapshot_of_content ON source_snapshot (source_id, content, retrieved_at);
CREATE INDEX source_acceptance_of_content ON source_acceptance (source_id, content, id);
CREATE UNIQUE INDEX wallet_entry_artifact ON wallet_entry (agent_id, environment, artifact_digest);
CREATE UNIQUE INDEX wallet_entry_order ON wallet_entry (agent_id, environment, seq);
CREATE INDEX wallet_entry_own_end ON wallet_entry (agent_id, environment, until, wallet_entry_id);
CREATE INDEX wallet_entry_end ON wallet_entry (until, wallet_entry_id);
CREATE INDEX wallet_request_end ON wallet_request (expires_at, agent_id, idempotency_key);
CREATE INDEX sales_switch_state ON sales_switch (scope, id) WHERE action IN ('STOP', 'START');
CREATE INDEX sales_switch_window ON sales_switch (scope, id) WHERE action = 'WINDOW';
CREATE INDEX sales_opt_out_newest ON sales_opt_out (agent_id, scope, value, id);
CREATE INDEX sales_dialogue_open ON sales_dialogue (agent_id, ends_at, dialogue_id);
CREATE INDEX sales_dialogue_end ON sales_dialogue (ends_at, agent_id, dialogue_id);
CREATE INDEX sales_offer_live ON sales_offer (agent_id, product_id, valid_until, offer_capsule_id);
CREATE INDEX sales_offer_end ON sales_offer (valid_until, offer_capsule_id);
CREATE INDEX decision_request_offer ON decision_request (product, idempotency_key, state)
  WHERE substr(idempotency_key, 1, 4) = 'ofr_';
CREATE INDEX beacon_consent_live ON beacon_consent (agent_id, valid_until, consent_id) WHERE revoked_at IS NULL;
CREATE INDEX beacon_consent_end ON beacon_consent (ended_at, agent_id, consent_id);
CREATE INDEX beacon_consent_day_end ON beacon_consent_day (day, agent_id, consent_id);
CREATE INDEX planning_continuation_end ON planning_continuation (expires_at, continuation_id);
CREATE UNIQUE INDEX purchase_one_live ON purchase (request_id) WHERE state IN ('LIVE', 'ACQUIRED');
CREATE INDEX purchase_request ON purchase (request_id, state, id);
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
CREATE UNIQUE INDEX delivery_companion ON delivery (companion_id) WHERE companion_id IS NOT NULL;
CREATE INDEX delivery_response ON delivery (response_digest, request_id) WHERE response_digest IS NOT NULL;
CREATE INDEX sales_opt_out_return ON sales_opt_out (agent_id, id) WHERE action = 'OPT_IN';
CREATE INDEX acp_event_job ON acp_event (job, id);
CREATE UNIQUE INDEX acp_action_nonce ON acp_action (wallet, nonce) WHERE state = 'OPEN';
CREATE INDEX acp_transaction_action ON acp_transaction (job, action);
CREATE INDEX acp_fact_job ON acp_fact (job);
CREATE INDEX acp_look_at ON acp_look (at);
CREATE UNIQUE INDEX email_challenge_open ON email_challenge (mailbox, request_digest) WHERE state = 'OPEN';
CREATE INDEX email_challenge_expiry ON email_challenge (expires_at, id);
CREATE INDEX mail_in_due ON mail_in (look_at, id) WHERE look_at IS NOT NULL;
CREATE INDEX mail_in_age ON mail_in (received_at, id);
CREATE INDEX mail_out_due ON mail_out (look_at, id) WHERE look_at IS NOT NULL;
CREATE INDEX mail_out_age ON mail_out (created_at, id);
CREATE INDEX lost_transfer_time ON lost_transfer (block_at, tx_hash, log_index);
CREATE UNIQUE INDEX acp_job_of_number ON acp_job (chain_id, contract, job_id) WHERE replaced_at IS NULL;
CREATE INDEX acp_job_due ON acp_job (look_at, id) WHERE look_at IS NOT NULL;
CREATE INDEX acp_job_newest ON acp_job (created_at, id);
CREATE INDEX acp_job_request ON acp_job (request_id);
CREATE INDEX acp_job_number ON acp_job (job_id);
CREATE INDEX acp_job_of_client ON acp_job (client, id) WHERE state IN ('SEEN', 'AWAITING_REQUIREMENT');
CREATE INDEX agent_message_turns ON agent_message (agent_id, expires_at)
  WHERE substr(domain, 1, 18) = 'svc.sales.dialogue';
CREATE INDEX supplier_root ON supplier (owner_id, root_id);
CREATE INDEX supplier_identifier_of ON supplier_identifier (owner_id, supplier_id, key);
CREATE INDEX supplier_name_of ON supplier_name (owner_id, supplier_id, name_key);
CREATE INDEX record_anchor_request ON record_anchor (request_id, owner_id, key);
CREATE INDEX authority_hold_request ON authority_hold (request_id);
CREATE INDEX authority_hold_change ON authority_hold (value) WHERE kind = 'CHANGE_AUTHORIZATION';
CREATE INDEX authority_hold_stray ON authority_hold (request_id, organization_id, kind, value)
  WHERE spent = 0 AND has_attempt = 0;
CREATE UNIQUE INDEX spent_change_execution ON spent_change (execution_id);
CREATE INDEX authorization_record_allowed ON authorization_record (organization_id, supplier_id, decided_at, request_id)
    WHERE decision = 'ALLOW';
CREATE INDEX authorization_record_supplier ON authorization_record (organization_id, supplier_id, decided_at, request_id)
    WHERE decision IN ('ALLOW', 'ALLOW_WITH_CONDITIONS');
CREATE INDEX authorization_record_obligation
    ON authorization_record (organization_id, supplier_id, obligation_key, decided_at, request_id)
    WHERE decision IN ('ALLOW', 'ALLOW_WITH_CONDITIONS');
CREATE INDEX answer_record_obligation ON answer_record (owner, product, supplier_id, obligation_key, decided_at, request_id)
    WHERE decision IN ('APPROVE', 'CONDITIONAL');
CREATE INDEX shared_use_age ON shared_use (used_at);
CREATE INDEX contact_stop_order ON contact_stop (source, id);
CREATE INDEX contact_stop_of_domain ON contact_stop (source, domain, id);
CREATE INDEX restore_confirmation_time ON restore_confirmation (kind, confirmed_at);
INSERT INTO log_head (id, tree_size, frontier, map_root) VALUES (1, 0, '\x', '\x0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO wallet_total (id, entries, document_bytes, answers) VALUES (1, 0, 0, 0);
INSERT INTO contact_stop_count (source, stops) VALUES ('PROVED', 0);
INSERT INTO contact_stop_count (source, stops) VALUES ('UNPROVED', 0);
INSERT INTO attempt_count (state, slot, entered, present) VALUES ('FAILED', 0, 0, 0);
INSERT INTO attempt_count (state, slot, entered, present) VALUES ('PAID_OWED', 0, 0, 0);
INSERT INTO attempt_count (state, slot, entered, present) VALUES ('RELEASED', 0, 0, 0);
INSERT INTO attempt_count (state, slot, entered, present) VALUES ('RESERVED', 0, 0, 0);
INSERT INTO attempt_count (state, slot, entered, present) VALUES ('SETTLED', 0, 0, 0);
INSERT INTO attempt_count (state, slot, entered, present) VALUES ('SETTLING', 0, 0, 0);
INSERT INTO attempt_count (state, slot, entered, present) VALUES ('VERIFIED', 0, 0, 0);
INSERT INTO change_count (subject, changes) VALUES ('SOURCES', 0);
INSERT INTO change_count (subject, changes) VALUES ('SUPPRESSIONS', 0);
-- A unit that writes leaves into the log locks this table. No unit reads or writes a row of it.
CREATE TABLE log_order (id bigint);

-- Says whether a unit whose COMMIT got no answer was committed. The unit inserts 1. A process that asks inserts 0, unless a row is there, and then
-- reads.
CREATE TABLE unit_outcome (
  id text COLLATE "C" PRIMARY KEY,
  committed bigint NOT NULL CHECK (committed IN (0, 1)),
  at text COLLATE "C" NOT NULL
);
CREATE INDEX unit_outcome_at ON unit_outcome (at, id);

-- The order of insertion, which SQLite keeps in a table without a number of its own.
ALTER TABLE used_nonce ADD COLUMN rowid bigint GENERATED ALWAYS AS IDENTITY UNIQUE;
