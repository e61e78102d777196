-- Each process that serves has a row from its first check to its clean stop. By it others know who works on this database: `bizauth instances`
-- lists the rows, and a migration waits for the processes whose row is young. The rows of before say too little and are written anew.
DROP TABLE instance;
CREATE TABLE instance (
  instance_id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  -- The version of its program.
  release TEXT NOT NULL,
  started_at TEXT NOT NULL,
  -- Both times are by the clock of the server that keeps the database, or of this machine without one.
  seen_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
