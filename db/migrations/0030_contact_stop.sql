-- Mailboxes that opted out of contact by e-mail. Append-only: the first STOP of a mailbox counts. mailbox: the domain in lower case and as
-- IDNA.
CREATE TABLE contact_stop (
  mailbox TEXT PRIMARY KEY,
  stopped_at TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('HTTP', 'MAIL'))
) STRICT, WITHOUT ROWID;
