-- Spent nonces in the order in which they were spent, which is that of their rowid. The oldest end first, so no index finds those that ended:
-- it cost every signed request one more page.
CREATE TABLE ordered_nonce (
  scope TEXT NOT NULL,
  nonce TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  UNIQUE (scope, nonce)
) STRICT;
INSERT INTO ordered_nonce (scope, nonce, expires_at) SELECT scope, nonce, expires_at FROM used_nonce ORDER BY expires_at, scope, nonce;
DROP TABLE used_nonce;
ALTER TABLE ordered_nonce RENAME TO used_nonce;
