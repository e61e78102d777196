-- A message is found by marks: digests of its key, of its nonce and of the event that it counted. The marks of one agent are side by side and
-- short. Before, each message changed a page of three indexes with long keys. `fill-message-marks.ts` fills the new tables.
DROP INDEX agent_message_turns;
ALTER TABLE agent_message RENAME TO unmarked_message;
CREATE TABLE agent_message (
  id INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL,
  domain TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  response TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  key_mark BLOB NOT NULL,
  nonce_mark BLOB NOT NULL,
  -- If the message is the one with which an event of the Beacon was counted.
  event_mark BLOB
) STRICT;
CREATE TABLE agent_message_mark (
  mark BLOB PRIMARY KEY,
  message_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_message_turns ON agent_message (agent_id, expires_at)
  WHERE substr(domain, 1, 18) = 'svc.sales.dialogue';
