-- Readiness asks every few seconds for the settlement that has been under way the longest.
CREATE INDEX payment_attempt_settling ON payment_attempt (updated_at, id) WHERE state = 'SETTLING';
