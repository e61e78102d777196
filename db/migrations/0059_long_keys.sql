-- PostgreSQL refuses a row of an index above 2,704 bytes. So an indexed column has the digest of a long key, and the whole key is in a column beside it,
-- which is null for the others.
ALTER TABLE answer_record ADD COLUMN whole_obligation_key TEXT;
ALTER TABLE authorization_record ADD COLUMN whole_obligation_key TEXT;
