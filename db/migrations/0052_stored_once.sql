-- From here on the core and the capsule of an answer are empty texts once its body contains them, and so are the bytes of a transaction that paid in
-- a safe block. Earlier rows stay as they are, and no table is made anew. A program without this migration does not know the empty texts.

-- No query uses these. Another index of its table begins with the column of the first one.
DROP INDEX payment_attempt_request;
DROP INDEX payment_event_attempt;
DROP INDEX relayer_nonce_mined_at;
