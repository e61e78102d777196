-- SHA-256 of the body's bytes as they arrived, where a product compares them under one idempotency key. Null in older rows: those compare
-- by their canonical form alone.
ALTER TABLE decision_request ADD COLUMN raw_body_digest TEXT;
