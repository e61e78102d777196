-- The RFC 6962 log over all key events and logged statements, and the map of agent to newest event. One row: the head.
CREATE TABLE log_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  tree_size INTEGER NOT NULL CHECK (tree_size >= 0),
  -- Hashes of the perfect subtrees that cover the tree, largest first: what the next leaf is added to.
  frontier BLOB NOT NULL CHECK (length(frontier) % 32 = 0),
  map_root BLOB NOT NULL CHECK (length(map_root) = 32)
) STRICT;

INSERT INTO log_head (id, tree_size, frontier, map_root) VALUES (1, 0, x'', zeroblob(32));

-- Map key or mark of the statement, digest, map root after it.
CREATE TABLE log_leaf (
  log_index INTEGER PRIMARY KEY,
  data BLOB NOT NULL CHECK (length(data) = 96)
) STRICT;

-- Every perfect subtree, written once when its last leaf arrives: proofs and tiles are read from here.
CREATE TABLE log_node (
  level INTEGER NOT NULL,
  node_index INTEGER NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (level, node_index)
) STRICT, WITHOUT ROWID;

-- Newest event of each agent, by map key.
CREATE TABLE log_map_entry (
  map_key BLOB PRIMARY KEY CHECK (length(map_key) = 32),
  event_digest BLOB NOT NULL CHECK (length(event_digest) = 32),
  log_index INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Every branch above two or more entries. Position: one byte of depth, then the key's bits down to it, rest zero.
CREATE TABLE log_map_branch (
  position BLOB PRIMARY KEY,
  left_hash BLOB NOT NULL CHECK (length(left_hash) = 32),
  right_hash BLOB NOT NULL CHECK (length(right_hash) = 32)
) STRICT, WITHOUT ROWID;
