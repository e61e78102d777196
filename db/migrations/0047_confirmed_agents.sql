-- The identity of an agent is confirmed after a restore like the other rights. SQLite changes a CHECK only with a new table.
CREATE TABLE confirmation (
  kind TEXT NOT NULL CHECK (kind IN ('SUPPRESSION', 'ORGANIZATION', 'MANDATE_KEY', 'AGENT')),
  subject TEXT NOT NULL,
  confirmed_at TEXT NOT NULL,
  author TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (kind, subject, confirmed_at)
) STRICT, WITHOUT ROWID;
INSERT INTO confirmation SELECT kind, subject, confirmed_at, author, reason FROM restore_confirmation;
DROP TABLE restore_confirmation;
ALTER TABLE confirmation RENAME TO restore_confirmation;
CREATE INDEX restore_confirmation_time ON restore_confirmation (kind, confirmed_at);
