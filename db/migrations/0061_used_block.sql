-- The newest block at which the chain showed the authorization as used; null while it shows it as unused. An older view does not take it back.
ALTER TABLE payment_attempt ADD COLUMN used_block INTEGER;
-- The block of an earlier sight is not known: any newer view may take it back.
UPDATE payment_attempt SET used_block = 0
WHERE (watched = 1 AND id IN (SELECT id FROM purchase WHERE state = 'OWED'))
  OR (already_used = 1 AND state IN ('RESERVED', 'VERIFIED', 'SETTLING'));
