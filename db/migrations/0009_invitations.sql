-- Invitations handed out with registered artifacts. The reference is 24 random bytes and the whole secret of the link; what was
-- registered, and by whom, is not here, so that a link leads to nobody.
CREATE TABLE invitation (
  reference TEXT PRIMARY KEY CHECK (length(reference) = 32),
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How often each channel's bootstrap was opened on each UTC day: a count, no address, no time of day.
CREATE TABLE channel_entry (
  day TEXT NOT NULL,
  channel TEXT NOT NULL,
  entries INTEGER NOT NULL CHECK (entries > 0),
  PRIMARY KEY (day, channel)
) STRICT, WITHOUT ROWID;
