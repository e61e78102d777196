-- Cases by product and state, for the operator's metrics. They change in the unit that opens or moves a case.
CREATE TABLE review_count (
  product TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('OPEN', 'PROPOSED', 'DECIDED', 'CLOSED')),
  cases INTEGER NOT NULL,
  PRIMARY KEY (product, state)
) STRICT, WITHOUT ROWID;
INSERT INTO review_count (product, state, cases) SELECT product, state, count(*) FROM review_case GROUP BY product, state;

-- Why the key was admitted without approvals. Null: it was not, or it was enrolled before this column existed.
ALTER TABLE reviewer_key ADD COLUMN break_glass TEXT;
CREATE INDEX reviewer_key_break_glass ON reviewer_key (enrolled_at, key_id) WHERE break_glass IS NOT NULL;
