-- Only turns of a dialogue are counted by their age. The index of all messages cost every event of the Beacon one more page on the disk.
-- The condition is not `domain = …`: SQLite would plan every statement that binds a domain anew at each call.
DROP INDEX agent_message_newest;
CREATE INDEX agent_message_turns ON agent_message (agent_id, expires_at, idempotency_key)
  WHERE substr(domain, 1, 18) = 'svc.sales.dialogue';
