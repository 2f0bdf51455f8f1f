-- Events by id. A restart may append one again further on: the smallest position wins, hence the falling version.
-- One id has one created_at, so its copies lie in one partition.
CREATE TABLE IF NOT EXISTS events (
  id String,
  position UInt64,
  account_id String,
  signal_id String,
  kind LowCardinality(String),
  created_at_ms Int64 EPHEMERAL,
  created_at DateTime64(3, 'UTC') DEFAULT fromUnixTimestamp64Milli(created_at_ms, 'UTC'),
  sequence UInt64,
  event String CODEC(ZSTD(1)),
  version UInt64 DEFAULT 18446744073709551615 - position,
  INDEX position_range position TYPE minmax GRANULARITY 1
) ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(created_at)
ORDER BY (account_id, id)
SETTINGS
  non_replicated_deduplication_window = 20000,
  replicated_deduplication_window = 20000,
  replicated_deduplication_window_seconds = 1209600,
  fsync_after_insert = 1,
  fsync_part_directory = 1;
