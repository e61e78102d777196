-- Contact by e-mail. `mailbox_key`: the mailbox in lower case, as in contact_stop.

-- An authenticated contact message after an opt-out lifts it; a later STOP counts again.
ALTER TABLE contact_stop ADD COLUMN lifted_at TEXT;

-- A token that was mailed to a mailbox for one contact request. Only its SHA-256 is kept. One is OPEN for a mailbox and a digest.
CREATE TABLE email_challenge (
  id TEXT PRIMARY KEY,
  mailbox TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  issued_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('OPEN', 'CONSUMED', 'SUPERSEDED'))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX email_challenge_open ON email_challenge (mailbox, request_digest) WHERE state = 'OPEN';
CREATE INDEX email_challenge_expiry ON email_challenge (expires_at, id);

-- A message that the listener accepted, before its 250. `id`: from Message-ID and SHA-256 of the message. `raw` is NULL once it is processed.
-- `look_at`: when a process looks next, which is also the end of its lease; NULL when nothing is left to do.
CREATE TABLE mail_in (
  id TEXT PRIMARY KEY,
  raw BLOB,
  received_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('RECEIVED', 'DONE', 'DROPPED')),
  reason TEXT,
  attempts INTEGER NOT NULL,
  lease_owner TEXT,
  look_at TEXT
) STRICT;
CREATE INDEX mail_in_due ON mail_in (look_at, id) WHERE look_at IS NOT NULL;
CREATE INDEX mail_in_age ON mail_in (received_at, id);

-- A message to one mailbox. A challenge has the id of its email_challenge, an answer to a message the id of that message: one mail for each.
-- `raw` is NULL once it was sent or given up. `counted_day`: the UTC day whose limits it counts for; NULL for a reply, which follows a
-- challenge that counted.
CREATE TABLE mail_out (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('CHALLENGE', 'REPLY', 'FAULT')),
  mailbox TEXT NOT NULL,
  mailbox_key TEXT NOT NULL,
  domain TEXT NOT NULL,
  counted_day TEXT,
  null_sender INTEGER NOT NULL CHECK (null_sender IN (0, 1)),
  raw TEXT,
  state TEXT NOT NULL CHECK (state IN ('QUEUED', 'SENT', 'FAILED', 'EXPIRED', 'STOPPED', 'SUPERSEDED')),
  reason TEXT,
  attempts INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  give_up_at TEXT NOT NULL,
  lease_owner TEXT,
  look_at TEXT
) STRICT;
CREATE INDEX mail_out_due ON mail_out (look_at, id) WHERE look_at IS NOT NULL;
CREATE INDEX mail_out_of_mailbox ON mail_out (counted_day, mailbox_key) WHERE counted_day IS NOT NULL;
CREATE INDEX mail_out_of_domain ON mail_out (counted_day, domain) WHERE counted_day IS NOT NULL;
CREATE INDEX mail_out_age ON mail_out (created_at, id);
