-- A purchase asks for every authorization of its obligation that is still valid, whatever identifiers its supplier was named by.
DROP INDEX authorization_record_current;
CREATE INDEX authorization_record_current
  ON authorization_record (organization_id, obligation_key, valid_until, request_id)
  WHERE decision IN ('ALLOW', 'ALLOW_WITH_CONDITIONS');
DROP INDEX answer_record_current;
CREATE INDEX answer_record_current ON answer_record (owner, product, obligation_key, valid_until, request_id)
  WHERE decision IN ('APPROVE', 'CONDITIONAL');
