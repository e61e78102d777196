-- Authorizations of one obligation by their end: a purchase asks whether one is still valid, however many have ended.
CREATE INDEX authorization_record_current
  ON authorization_record (organization_id, supplier_key, obligation_key, valid_until, request_id)
  WHERE decision IN ('ALLOW', 'ALLOW_WITH_CONDITIONS');
CREATE INDEX answer_record_current ON answer_record (owner, product, subject, obligation_key, valid_until, request_id)
  WHERE decision IN ('APPROVE', 'CONDITIONAL');
