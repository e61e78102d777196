-- Nonces of statements that a verifier had recorded, until the statement's window and the clock skew are over. nonce_digest is
-- SHA-256 of agent|key|audience|nonce. id runs upward, so the newest less the oldest bounds their number without counting.
CREATE TABLE signature_nonce (
  id INTEGER PRIMARY KEY,
  nonce_digest TEXT NOT NULL UNIQUE,
  record_id TEXT NOT NULL,
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  expires_at TEXT NOT NULL
) STRICT;
CREATE INDEX signature_nonce_expiry ON signature_nonce (expires_at);
CREATE INDEX signature_nonce_agent ON signature_nonce (agent_id, expires_at);

-- Registered statements: digests, names and a time. Nothing of a payload, an audience or a context is ever here.
CREATE TABLE artifact_registration (
  statement_digest TEXT PRIMARY KEY,
  registration_id TEXT NOT NULL UNIQUE,
  payload_digest TEXT NOT NULL,
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  key_id TEXT NOT NULL,
  registered_at TEXT NOT NULL,
  log_index INTEGER NOT NULL UNIQUE,
  invitation_reference TEXT UNIQUE
) STRICT;

-- Registrations of one UTC day: a row for each agent, one for its revoked keys together (agent_id, a space, `revoked`), and one for
-- all under the empty agent_id. Earlier days are purged.
CREATE TABLE artifact_day_count (
  day TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  registrations INTEGER NOT NULL,
  PRIMARY KEY (day, agent_id)
) STRICT, WITHOUT ROWID;
