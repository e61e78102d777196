-- What an organization's mandate key said about which names and identifiers are one supplier. Kept for ever: each is taken once.
CREATE TABLE supplier_statement (
  organization_id TEXT NOT NULL,
  nonce TEXT NOT NULL,
  -- Canonical JSON, with its signature.
  document TEXT NOT NULL,
  key_id TEXT NOT NULL,
  applied_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, nonce)
) STRICT, WITHOUT ROWID;
