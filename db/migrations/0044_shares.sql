-- How much of a cap that all share is used, by share: 'ALL', 'RESERVE', 'ADDRESS …', 'AGENT …', 'DOMAIN …'. `opened_at`: begin of the window
-- that `used` counts for; `used_at`: the last use. Milliseconds. A row that nobody used for a day is removed.
CREATE TABLE shared_use (
  cap TEXT NOT NULL,
  share TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  used INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (cap, share)
) STRICT, WITHOUT ROWID;
CREATE INDEX shared_use_age ON shared_use (used_at);

-- The counts of the newest day go on. One of an IPv6 address does not: it was for another prefix.
INSERT INTO shared_use
  SELECT 'ARTIFACTS', CASE agent_id WHEN '' THEN 'ALL' ELSE 'AGENT ' || agent_id END,
    unixepoch(day) * 1000, registrations, unixepoch(day) * 1000
  FROM artifact_day_count WHERE day = (SELECT max(day) FROM artifact_day_count);
DROP TABLE artifact_day_count;
INSERT INTO shared_use
  SELECT 'ENROLMENTS', 'ADDRESS ' || client, unixepoch(day) * 1000, enrolments, unixepoch(day) * 1000
  FROM agent_enrolment_count
  WHERE day = (SELECT max(day) FROM agent_enrolment_count) AND instr(client, ':') = 0;
INSERT INTO shared_use
  SELECT 'ENROLMENTS', 'ALL', unixepoch(day) * 1000, sum(enrolments), unixepoch(day) * 1000
  FROM agent_enrolment_count WHERE day = (SELECT max(day) FROM agent_enrolment_count) GROUP BY day;
DROP TABLE agent_enrolment_count;

-- Messages of a mailbox, a domain and all are counted in shared_use, and the columns that were for counting end.
INSERT INTO shared_use
  SELECT 'MAILS_TO_DOMAIN', 'IN ' || domain || ' MAILBOX ' || mailbox_key, unixepoch(counted_day) * 1000, count(*),
    unixepoch(counted_day) * 1000
  FROM mail_out WHERE counted_day = (SELECT max(counted_day) FROM mail_out WHERE counted_day IS NOT NULL)
  GROUP BY domain, mailbox_key;
INSERT INTO shared_use
  SELECT 'MAILS_TO_DOMAIN', 'IN ' || domain || ' ALL', unixepoch(counted_day) * 1000, count(*), unixepoch(counted_day) * 1000
  FROM mail_out WHERE counted_day = (SELECT max(counted_day) FROM mail_out WHERE counted_day IS NOT NULL) GROUP BY domain;
INSERT INTO shared_use
  SELECT 'MAILS_OVER_HTTP', 'ALL', unixepoch(counted_day) * 1000, count(*), unixepoch(counted_day) * 1000
  FROM mail_out WHERE counted_day = (SELECT max(counted_day) FROM mail_out WHERE counted_day IS NOT NULL)
  GROUP BY counted_day;
DROP INDEX mail_out_of_mailbox;
DROP INDEX mail_out_of_domain;
ALTER TABLE mail_out DROP COLUMN counted_day;
ALTER TABLE mail_out DROP COLUMN mailbox_key;
ALTER TABLE mail_out DROP COLUMN domain;

-- Opt-outs of e-mail: PROVED by a message of the mailbox, or UNPROVED. Each kind has its own fixed room, and its number is kept. A lifted
-- one is removed. `domain`: of the mailbox.
CREATE TABLE stopped_mailbox (
  id INTEGER PRIMARY KEY,
  mailbox TEXT NOT NULL UNIQUE,
  domain TEXT NOT NULL,
  stopped_at TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('PROVED', 'UNPROVED'))
) STRICT;
INSERT INTO stopped_mailbox
  SELECT id, mailbox, substr(mailbox, instr(mailbox, '@') + 1), stopped_at,
    CASE source WHEN 'MAIL' THEN 'PROVED' ELSE 'UNPROVED' END
  FROM contact_stop WHERE lifted_at IS NULL;
DROP TABLE contact_stop;
ALTER TABLE stopped_mailbox RENAME TO contact_stop;
CREATE INDEX contact_stop_order ON contact_stop (source, id);
CREATE INDEX contact_stop_of_domain ON contact_stop (source, domain, id);
CREATE TABLE contact_stop_count (
  source TEXT PRIMARY KEY CHECK (source IN ('PROVED', 'UNPROVED')),
  stops INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO contact_stop_count
  SELECT 'PROVED', count(*) FROM contact_stop WHERE source = 'PROVED'
  UNION ALL SELECT 'UNPROVED', count(*) FROM contact_stop WHERE source = 'UNPROVED';
