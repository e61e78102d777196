-- Where in the transparency log the capsule of a delivery stands; null for deliveries of an earlier release, which are in none.
ALTER TABLE delivery ADD COLUMN log_index INTEGER CHECK (log_index >= 0);
