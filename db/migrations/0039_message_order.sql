-- Answers in the order in which they were given: new ones share the last page, and the oldest end first, so no index finds those that ended.
-- Before, each row and its entry in an index of ends went to a page of its own.
CREATE TABLE ordered_message (
  id INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL,
  domain TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  response TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  -- SHA-256 of agent and event id, if the message is the one with which an event of the Beacon was counted.
  event_digest BLOB UNIQUE,
  UNIQUE (agent_id, domain, idempotency_key)
) STRICT;
-- Which message counted an event was not kept, so a digest gets a row without a message.
INSERT INTO ordered_message (agent_id, domain, idempotency_key, request_digest, response, expires_at, event_digest)
  SELECT agent_id, domain, idempotency_key, request_digest, response, expires_at, NULL FROM agent_message
  UNION ALL
  SELECT '', 'event', digest, '', '', expires_at, unhex(substr(digest, 8)) FROM beacon_seen
  ORDER BY expires_at;
DROP TABLE agent_message;
DROP TABLE beacon_seen;
ALTER TABLE ordered_message RENAME TO agent_message;
CREATE INDEX agent_message_turns ON agent_message (agent_id, expires_at, idempotency_key)
  WHERE substr(domain, 1, 18) = 'svc.sales.dialogue';
