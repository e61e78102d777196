-- The Agent IDs of the service itself: the key of each use is the operational key of an identity in the same event log.
CREATE TABLE service_identity (
  use TEXT PRIMARY KEY CHECK (use IN ('statement', 'log', 'sandbox')),
  agent_id TEXT NOT NULL UNIQUE REFERENCES agent (agent_id)
) STRICT;
