-- 1 when the chain already showed the authorization as used at its first presentation: only then may "used, and no log explains it" end an attempt.
ALTER TABLE payment_attempt ADD COLUMN already_used INTEGER NOT NULL DEFAULT 0 CHECK (already_used IN (0, 1));
