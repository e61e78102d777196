-- Continuations of planning that were used: each may be used by one request.
CREATE TABLE planning_continuation (
  continuation_id TEXT PRIMARY KEY,
  used_by TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX planning_continuation_end ON planning_continuation (expires_at, continuation_id);
