-- What was sold, for the operator's list. The unit that delivers an answer writes one row, into `sold_waiting`, because each index would make that
-- unit slower. Later a unit for many answers moves the rows into `sold_answer`, which has the indexes. A delivery must never fail for a list, so these
-- tables refer to no other, and no unit that serves a request reads them.
CREATE TABLE sold_waiting (
  request_id TEXT PRIMARY KEY,
  sold_at TEXT NOT NULL,
  product TEXT NOT NULL,
  decision TEXT NOT NULL,
  payer TEXT NOT NULL,
  tx TEXT NOT NULL,
  answer_id TEXT NOT NULL,
  delivery_reference TEXT NOT NULL,
  supplier TEXT NOT NULL,
  -- A JSON array.
  party_keys TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sold_answer (
  seq INTEGER PRIMARY KEY,
  request_id TEXT NOT NULL UNIQUE,
  sold_at TEXT NOT NULL,
  product TEXT NOT NULL,
  decision TEXT NOT NULL,
  -- In lower case.
  payer TEXT NOT NULL,
  -- Hash of the transaction that paid, or that funded the job, in lower case.
  tx TEXT NOT NULL,
  -- `dec_…` or `exe_…`.
  answer_id TEXT NOT NULL,
  delivery_reference TEXT NOT NULL,
  -- As the list shows it.
  supplier TEXT NOT NULL,
  -- With a constant first, the index of all answers serves no search for a value. PostgreSQL would read it for a value that few answers have.
  listed INTEGER NOT NULL CHECK (listed = 1)
) STRICT;
CREATE INDEX sold_answer_time ON sold_answer (listed, sold_at, seq);
CREATE INDEX sold_answer_payer ON sold_answer (payer, sold_at, seq);
CREATE INDEX sold_answer_tx ON sold_answer (tx, sold_at, seq);
CREATE INDEX sold_answer_product ON sold_answer (product, sold_at, seq);
CREATE INDEX sold_answer_product_decision ON sold_answer (product, decision, sold_at, seq);
CREATE INDEX sold_answer_decision ON sold_answer (decision, sold_at, seq);

-- The names and identifiers by which an answer is found.
CREATE TABLE sold_party (
  -- 32 hexadecimal digits of a SHA-256: a name may be too long for an index.
  party_key TEXT NOT NULL,
  sold_at TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (party_key, sold_at, seq)
) STRICT, WITHOUT ROWID;

-- Answers delivered before these tables existed get their rows in steps, in the order of their requests. There is no row when nothing is left to do.
CREATE TABLE sold_fill (
  id TEXT PRIMARY KEY CHECK (id = 'DELIVERIES'),
  -- The last request that has its row.
  filled_to TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO sold_fill (id, filled_to) SELECT 'DELIVERIES', '' WHERE EXISTS (SELECT 1 FROM delivery);
