-- What was sold, for the operator's list: a row for each delivered answer, written in the unit that delivers it. That unit must never fail for a
-- list, so these tables refer to no other, and nothing in a unit that serves a request reads them.
CREATE TABLE sold_answer (
  id INTEGER PRIMARY KEY,
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
  supplier TEXT NOT NULL
) STRICT;
CREATE INDEX sold_answer_time ON sold_answer (sold_at, id);
CREATE INDEX sold_answer_payer ON sold_answer (payer, sold_at, id);
CREATE INDEX sold_answer_tx ON sold_answer (tx, sold_at, id);
CREATE INDEX sold_answer_product ON sold_answer (product, sold_at, id);
CREATE INDEX sold_answer_product_decision ON sold_answer (product, decision, sold_at, id);
CREATE INDEX sold_answer_decision ON sold_answer (decision, sold_at, id);

-- The names and identifiers by which an answer is found. `seq` is the `id` of its answer.
CREATE TABLE sold_party (
  -- 22 characters of a SHA-256: a name may be too long for an index.
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
