-- One mark for each start, which control data remembers too: a copy of another time is told by the mark that it lacks.
CREATE TABLE IF NOT EXISTS marks (
  id String,
  at DateTime DEFAULT now()
) ENGINE = MergeTree
ORDER BY id
SETTINGS
  fsync_after_insert = 1,
  fsync_part_directory = 1;
