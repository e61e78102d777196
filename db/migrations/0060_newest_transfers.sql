-- A payer's newest transfers. A balance that is older than one of them still has its money.
CREATE INDEX payment_attempt_newest ON payment_attempt (payer, updated_at, id) WHERE finality = 'INCLUDED';
