-- When a judgement last changed a delivered answer. Written in the unit that delivers, which a count must never fail: so it refers to no
-- other table.
CREATE TABLE suppression_use (
  suppression_id TEXT PRIMARY KEY,
  last_at TEXT NOT NULL,
  -- Delivered answers so far.
  times INTEGER NOT NULL CHECK (times > 0)
) STRICT, WITHOUT ROWID;
