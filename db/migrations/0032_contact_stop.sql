-- Mailboxes that opted out of contact by e-mail. Append-only: the first STOP of a mailbox counts, and no row is deleted, so the greatest id is
-- their number. mailbox: in lower case, the domain as IDNA.
CREATE TABLE contact_stop (
  id INTEGER PRIMARY KEY,
  mailbox TEXT NOT NULL UNIQUE,
  stopped_at TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('HTTP', 'MAIL'))
) STRICT;
