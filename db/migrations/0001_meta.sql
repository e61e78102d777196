-- What this database was made for. One row per name; environment never changes after init.
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- The service's own signing keys. Private halves live in files (0600); a key row is never deleted, only its status moves on.
CREATE TABLE service_key (
  key_id TEXT PRIMARY KEY,
  use TEXT NOT NULL CHECK (use IN ('statement', 'log', 'sandbox')),
  x TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL CHECK (status IN ('ACTIVE', 'ROTATED', 'REVOKED')),
  created_at TEXT NOT NULL,
  not_before TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  revoked_since TEXT
) STRICT;

CREATE UNIQUE INDEX service_key_one_active ON service_key (use) WHERE status = 'ACTIVE';

-- Nonces of signed requests. A row is written only after the signature verified, and purged after it expires.
CREATE TABLE used_nonce (
  scope TEXT NOT NULL,
  nonce TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (scope, nonce)
) STRICT, WITHOUT ROWID;

CREATE INDEX used_nonce_expiry ON used_nonce (expires_at);
