-- Transfers to the service's address that a scan of the chain found after a restore. Those that no attempt explains are payments for sales of
-- the hours that the restore lost. `nonce`: of the payer's authorization; NULL for a plain transfer. `value` in atomic units.
CREATE TABLE lost_transfer (
  chain_id INTEGER NOT NULL,
  tx_hash TEXT NOT NULL,
  log_index INTEGER NOT NULL,
  payer TEXT NOT NULL,
  value TEXT NOT NULL,
  nonce TEXT,
  block_at TEXT NOT NULL,
  PRIMARY KEY (chain_id, tx_hash, log_index)
) STRICT, WITHOUT ROWID;
CREATE INDEX lost_transfer_time ON lost_transfer (block_at, tx_hash, log_index);
