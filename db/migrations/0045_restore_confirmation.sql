-- Rights from before a restore that the operator confirmed one by one. `kind` and `subject` name the right; `subject` of a mandate key is the
-- organization and the key id, on two lines. A confirmation from before a later restore does not count for that one. Rows are only added.
CREATE TABLE restore_confirmation (
  kind TEXT NOT NULL CHECK (kind IN ('SUPPRESSION', 'ORGANIZATION', 'MANDATE_KEY')),
  subject TEXT NOT NULL,
  confirmed_at TEXT NOT NULL,
  author TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (kind, subject, confirmed_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX restore_confirmation_time ON restore_confirmation (kind, confirmed_at);
