-- Answers that wait for a person. The unit that delivers an answer writes none of these rows: a later step reads the list of what was sold.
CREATE TABLE review_case (
  case_number INTEGER PRIMARY KEY,
  request_id TEXT NOT NULL UNIQUE,
  -- When the answer was delivered.
  opened_at TEXT NOT NULL,
  product TEXT NOT NULL,
  permission TEXT NOT NULL,
  decision TEXT NOT NULL,
  -- The first reason of the answer.
  code TEXT NOT NULL,
  currency TEXT,
  amount TEXT,
  -- Millionths in 24 digits, so that their order as text is that of the amounts. Zeros without an amount.
  amount_order TEXT NOT NULL,
  -- The highest score of a listed entry, in thousandths. 0 without one.
  score_permille INTEGER NOT NULL,
  supplier TEXT NOT NULL,
  -- In lower case.
  payer TEXT NOT NULL,
  organization_id TEXT,
  -- Cases of one payer about one party and one entry have the same.
  group_key TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('OPEN', 'PROPOSED', 'DECIDED', 'CLOSED')),
  assignee TEXT
) STRICT;
CREATE INDEX review_case_age ON review_case (state, opened_at, case_number);
CREATE INDEX review_case_amount ON review_case (state, amount_order, case_number);
CREATE INDEX review_case_score ON review_case (state, score_permille, case_number);
CREATE INDEX review_case_group ON review_case (group_key, case_number);

-- The last row of the list of what was sold that was looked at.
CREATE TABLE review_fill (
  id TEXT PRIMARY KEY CHECK (id = 'CASES'),
  filled_to INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO review_fill (id, filled_to) VALUES ('CASES', 0);

-- Who may become a reviewer. The operator adds them; a passkey enrols them.
CREATE TABLE reviewer (
  reviewer_id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  -- A JSON array of the organizations and payers from whose cases the reviewer is recused.
  recusals TEXT NOT NULL,
  -- Why keys of this reviewer need no approvals. Null: they need those that the policy asks for.
  break_glass TEXT,
  added_at TEXT NOT NULL
) STRICT;

CREATE TABLE reviewer_key (
  key_id TEXT PRIMARY KEY,
  reviewer_id TEXT NOT NULL REFERENCES reviewer (reviewer_id),
  credential_id TEXT NOT NULL UNIQUE,
  -- SubjectPublicKeyInfo, base64url.
  public_key TEXT NOT NULL,
  algorithm INTEGER NOT NULL,
  -- The highest that it has shown.
  counter INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('PENDING', 'ACTIVE', 'REVOKED')),
  -- As they were enrolled, a JSON array.
  recusals TEXT NOT NULL,
  enrolled_at TEXT NOT NULL
) STRICT;
CREATE INDEX reviewer_key_of ON reviewer_key (reviewer_id, key_id);

-- Only ever added; of a note the text may be removed. The digest of each row's place is a leaf of the transparency log.
CREATE TABLE review_record (
  sequence INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  -- Of the row's place: the leaf.
  entry_digest TEXT NOT NULL,
  -- Of the row before; null in the first.
  previous_entry TEXT,
  -- 0: about reviewers.
  case_number INTEGER NOT NULL,
  effect TEXT NOT NULL CHECK (effect IN ('RECORDED', 'OPENED', 'COUNTED', 'EFFECTIVE', 'ENDED')),
  -- Digest of the record that it approves, rejects or withdraws; empty for none.
  answers TEXT NOT NULL,
  -- Canonical JSON, as the passkey signed it.
  document TEXT NOT NULL,
  assertion TEXT,
  subject TEXT,
  reason TEXT,
  -- JSON of what a judgement needs beside the record: the screened party, and the version of the reader of the entry.
  judged TEXT,
  log_index INTEGER NOT NULL
) STRICT;
CREATE INDEX review_record_case ON review_record (case_number, sequence);
CREATE INDEX review_record_answers ON review_record (answers, sequence);

-- How many persons must judge; the newest row is in force.
CREATE TABLE review_policy (
  sequence INTEGER PRIMARY KEY REFERENCES review_record (sequence),
  persons INTEGER NOT NULL CHECK (persons >= 1),
  of_persons INTEGER NOT NULL CHECK (of_persons >= persons)
) STRICT;

-- Which judgement came of which record.
CREATE TABLE review_judgement (
  record_digest TEXT PRIMARY KEY,
  case_number INTEGER NOT NULL,
  suppression_id TEXT NOT NULL UNIQUE
) STRICT;
CREATE INDEX review_judgement_case ON review_judgement (case_number, record_digest);

-- The bytes of a case as a reviewer saw it.
CREATE TABLE review_document (
  digest TEXT PRIMARY KEY,
  document TEXT NOT NULL
) STRICT;

-- Only hashes of the secrets.
CREATE TABLE review_link (
  link_hash TEXT PRIMARY KEY,
  reviewer_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX review_link_end ON review_link (expires_at, link_hash);

CREATE TABLE review_session (
  session_hash TEXT PRIMARY KEY,
  reviewer_id TEXT NOT NULL,
  -- The passkey that opened it. Null until one did: then it may only enrol.
  key_id TEXT,
  created_at TEXT NOT NULL,
  -- The end unless it is used.
  idle_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX review_session_end ON review_session (expires_at, session_hash);
CREATE INDEX review_session_of ON review_session (reviewer_id, session_hash);

CREATE TABLE review_challenge (
  -- base64url, as the passkey signs it.
  challenge TEXT PRIMARY KEY,
  session_hash TEXT NOT NULL,
  -- JSON of what it is for.
  purpose TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX review_challenge_end ON review_challenge (expires_at, challenge);
CREATE INDEX review_challenge_of ON review_challenge (session_hash, challenge);
