-- What an engine needs on which units run side by side.

-- Counts that every sale or event changes have one row for each slot, so that two writers need not change the same row. Readers add them up.
CREATE TABLE attempt_count_of_slots (
  state TEXT NOT NULL CHECK (state IN ('RESERVED', 'VERIFIED', 'SETTLING', 'SETTLED', 'FAILED', 'RELEASED', 'PAID_OWED')),
  slot INTEGER NOT NULL,
  entered INTEGER NOT NULL,
  -- Below zero where more attempts left the state than entered it. The sum over the slots is not.
  present INTEGER NOT NULL,
  PRIMARY KEY (state, slot)
) STRICT, WITHOUT ROWID;
INSERT INTO attempt_count_of_slots (state, slot, entered, present) SELECT state, 0, entered, present FROM attempt_count;
DROP TABLE attempt_count;
ALTER TABLE attempt_count_of_slots RENAME TO attempt_count;

CREATE TABLE decision_count_of_slots (
  product TEXT NOT NULL,
  decision TEXT NOT NULL,
  slot INTEGER NOT NULL,
  answers INTEGER NOT NULL,
  PRIMARY KEY (product, decision, slot)
) STRICT, WITHOUT ROWID;
INSERT INTO decision_count_of_slots (product, decision, slot, answers) SELECT product, decision, 0, answers FROM decision_count;
DROP TABLE decision_count;
ALTER TABLE decision_count_of_slots RENAME TO decision_count;

CREATE TABLE beacon_count_of_slots (
  day TEXT NOT NULL,
  event_kind TEXT NOT NULL,
  product_id TEXT NOT NULL,
  channel TEXT NOT NULL,
  slot INTEGER NOT NULL,
  events INTEGER NOT NULL CHECK (events >= 1),
  PRIMARY KEY (day, event_kind, product_id, channel, slot)
) STRICT, WITHOUT ROWID;
INSERT INTO beacon_count_of_slots (day, event_kind, product_id, channel, slot, events)
  SELECT day, event_kind, product_id, channel, 0, events FROM beacon_count;
DROP TABLE beacon_count;
ALTER TABLE beacon_count_of_slots RENAME TO beacon_count;

-- Statements that wait for their leaf, where one unit gives many of them theirs.
CREATE TABLE log_pending (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  digest TEXT NOT NULL,
  request_id TEXT NOT NULL
) STRICT;

-- Each change of these subjects adds one, in its unit. The highest id of a history does not tell of a change: of two rows that are written
-- side by side, the later commit may have the lower id.
CREATE TABLE change_count (
  subject TEXT PRIMARY KEY CHECK (subject IN ('SOURCES', 'SUPPRESSIONS')),
  changes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO change_count (subject, changes) SELECT 'SOURCES', coalesce(max(id), 0) FROM source_event;
INSERT INTO change_count (subject, changes) SELECT 'SUPPRESSIONS', coalesce(max(id), 0) FROM suppression_event;

-- One row for each process that serves. It writes its row to see whether the database takes writes.
CREATE TABLE instance (
  instance_id TEXT PRIMARY KEY,
  seen_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The probe's row, and the rows that named the files of indexes: a file beside each index does that.
DELETE FROM meta WHERE name IN ('write_probe', 'saved_index_US', 'saved_index_GB');
