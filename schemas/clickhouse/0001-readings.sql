-- Readings and their rollups. A window on every target, or a retried block would count twice in a rollup;
-- the seconds matter to replicated tables only, where the default is an hour.
-- `at_ms` is what a reading line carries: an integer below 10^12 given to DateTime64(3) itself is taken for seconds.
CREATE TABLE IF NOT EXISTS readings (
  signal_id String,
  at_ms Int64 EPHEMERAL,
  at DateTime64(3, 'UTC') DEFAULT fromUnixTimestamp64Milli(at_ms, 'UTC') CODEC(DoubleDelta, LZ4),
  strength Float32
) ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (signal_id, at)
SETTINGS
  non_replicated_deduplication_window = 20000,
  replicated_deduplication_window = 20000,
  replicated_deduplication_window_seconds = 1209600,
  fsync_after_insert = 1,
  fsync_part_directory = 1;

-- Rollups have fewer rows, so longer partitions: every partition that an insert touches costs it some milliseconds.
CREATE TABLE IF NOT EXISTS readings_1m (
  signal_id String,
  at DateTime('UTC') CODEC(DoubleDelta, LZ4),
  count SimpleAggregateFunction(sum, UInt64),
  sum SimpleAggregateFunction(sum, Float64),
  sum_squares SimpleAggregateFunction(sum, Float64),
  min SimpleAggregateFunction(min, Float32),
  max SimpleAggregateFunction(max, Float32)
) ENGINE = AggregatingMergeTree
PARTITION BY toStartOfQuarter(at)
ORDER BY (signal_id, at)
SETTINGS
  non_replicated_deduplication_window = 20000,
  replicated_deduplication_window = 20000,
  replicated_deduplication_window_seconds = 1209600,
  fsync_after_insert = 1,
  fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS readings_1h (
  signal_id String,
  at DateTime('UTC') CODEC(DoubleDelta, LZ4),
  count SimpleAggregateFunction(sum, UInt64),
  sum SimpleAggregateFunction(sum, Float64),
  sum_squares SimpleAggregateFunction(sum, Float64),
  min SimpleAggregateFunction(min, Float32),
  max SimpleAggregateFunction(max, Float32)
) ENGINE = AggregatingMergeTree
PARTITION BY toYear(at)
ORDER BY (signal_id, at)
SETTINGS
  non_replicated_deduplication_window = 20000,
  replicated_deduplication_window = 20000,
  replicated_deduplication_window_seconds = 1209600,
  fsync_after_insert = 1,
  fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS readings_1m_view TO readings_1m AS
SELECT
  signal_id,
  toStartOfMinute(source.at) AS at,
  count() AS count,
  sum(toFloat64(strength)) AS sum,
  sum(toFloat64(strength) * toFloat64(strength)) AS sum_squares,
  min(strength) AS min,
  max(strength) AS max
FROM readings AS source
GROUP BY signal_id, at;

-- From the minutes of the same insert, not from the readings: a fifth less work for an insert as a whole.
CREATE MATERIALIZED VIEW IF NOT EXISTS readings_1h_view TO readings_1h AS
SELECT
  signal_id,
  toStartOfHour(source.at) AS at,
  sum(source.count) AS count,
  sum(source.sum) AS sum,
  sum(source.sum_squares) AS sum_squares,
  min(source.min) AS min,
  max(source.max) AS max
FROM readings_1m AS source
GROUP BY signal_id, at;
