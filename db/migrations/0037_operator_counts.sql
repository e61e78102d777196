-- Counts for the operator's metrics. They change in the unit that changes the counted rows, so every process reads the same numbers, and no
-- read scans a table that grows.

-- Attempts by state: how often an attempt entered it (events that change the state), and how many are in it now.
CREATE TABLE attempt_count (
  state TEXT PRIMARY KEY CHECK (state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'SETTLED', 'FAILED', 'RELEASED', 'PAID_OWED')),
  entered INTEGER NOT NULL,
  present INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO attempt_count (state, entered, present)
  SELECT s.column1, coalesce(e.n, 0), coalesce(p.n, 0)
    FROM (VALUES ('RESERVED'), ('VERIFIED'), ('SETTLING'), ('SETTLED'), ('FAILED'), ('RELEASED'), ('PAID_OWED')) AS s
    LEFT JOIN (SELECT to_state AS state, count(*) AS n FROM payment_event WHERE from_state IS NOT to_state GROUP BY to_state) AS e
      ON e.state = s.column1
    LEFT JOIN (SELECT state, count(*) AS n FROM payment_attempt GROUP BY state) AS p ON p.state = s.column1;

-- Delivered answers by product and decision. Each one has one record, of the Payment Decision or of the other products.
CREATE TABLE decision_count (
  product TEXT NOT NULL,
  decision TEXT NOT NULL,
  answers INTEGER NOT NULL,
  PRIMARY KEY (product, decision)
) STRICT, WITHOUT ROWID;
INSERT INTO decision_count (product, decision, answers)
  SELECT r.product, a.decision, count(*) FROM authorization_record a JOIN decision_request r ON r.id = a.request_id GROUP BY 1, 2
  UNION ALL
  SELECT product, decision, count(*) FROM answer_record GROUP BY 1, 2;
