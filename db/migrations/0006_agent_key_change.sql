-- What the next event of an identity depends on beside its keys: the committed next key, and when it was last rotated as a routine.
ALTER TABLE agent ADD COLUMN next_operational_key_digest TEXT;
ALTER TABLE agent ADD COLUMN last_routine_rotation_at TEXT;
UPDATE agent SET next_operational_key_digest = (
  SELECT json_extract(event_json, '$.next_operational_key_digest')
  FROM agent_event WHERE agent_event.agent_id = agent.agent_id AND agent_event.sequence = agent.sequence
);

-- From when on its owner says a key may have been another's; written with the revocation that claims it.
ALTER TABLE agent_key ADD COLUMN compromised_since TEXT;

-- The identity a challenge would change; null for an enrolment. parameter_digest is set exactly for the challenges that revoke or
-- that the recovery key signs: they lie outside the caps (client is null), and wrong proofs never lock them.
ALTER TABLE agent_challenge ADD COLUMN agent_id TEXT;
ALTER TABLE agent_challenge ADD COLUMN parameter_digest TEXT;
CREATE INDEX agent_challenge_agent ON agent_challenge (agent_id, issued_at) WHERE agent_id IS NOT NULL AND state = 'ISSUED';
CREATE INDEX agent_challenge_uncounted ON agent_challenge (expires_at) WHERE client IS NULL AND state <> 'CONSUMED';
