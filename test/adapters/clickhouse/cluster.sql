CREATE DATABASE IF NOT EXISTS signals ON CLUSTER `main`;

CREATE TABLE IF NOT EXISTS schema_migrations ON CLUSTER `main` (version UInt32, name String, applied_at DateTime DEFAULT now())
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/signals/schema_migrations', '{replica}') ORDER BY version
SETTINGS replicated_deduplication_window = 1000, replicated_deduplication_window_seconds = 1209600, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS readings ON CLUSTER `main` (
  signal_id String,
  at_ms Int64 EPHEMERAL,
  at DateTime64(3, 'UTC') DEFAULT fromUnixTimestamp64Milli(at_ms, 'UTC') CODEC(DoubleDelta, LZ4),
  strength Float32
) ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/signals/readings', '{replica}')
PARTITION BY toYYYYMM(at)
ORDER BY (signal_id, at)
SETTINGS
  replicated_deduplication_window = 20000,
  replicated_deduplication_window_seconds = 1209600,
  fsync_after_insert = 1,
  fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS readings_1m ON CLUSTER `main` (
  signal_id String,
  at DateTime('UTC') CODEC(DoubleDelta, LZ4),
  count SimpleAggregateFunction(sum, UInt64),
  sum SimpleAggregateFunction(sum, Float64),
  sum_squares SimpleAggregateFunction(sum, Float64),
  min SimpleAggregateFunction(min, Float32),
  max SimpleAggregateFunction(max, Float32)
) ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{shard}/signals/readings_1m', '{replica}')
PARTITION BY toStartOfQuarter(at)
ORDER BY (signal_id, at)
SETTINGS
  replicated_deduplication_window = 20000,
  replicated_deduplication_window_seconds = 1209600,
  fsync_after_insert = 1,
  fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS readings_1h ON CLUSTER `main` (
  signal_id String,
  at DateTime('UTC') CODEC(DoubleDelta, LZ4),
  count SimpleAggregateFunction(sum, UInt64),
  sum SimpleAggregateFunction(sum, Float64),
  sum_squares SimpleAggregateFunction(sum, Float64),
  min SimpleAggregateFunction(min, Float32),
  max SimpleAggregateFunction(max, Float32)
) ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{shard}/signals/readings_1h', '{replica}')
PARTITION BY toYear(at)
ORDER BY (signal_id, at)
SETTINGS
  replicated_deduplication_window = 20000,
  replicated_deduplication_window_seconds = 1209600,
  fsync_after_insert = 1,
  fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS readings_1m_view ON CLUSTER `main` TO readings_1m AS
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

CREATE MATERIALIZED VIEW IF NOT EXISTS readings_1h_view ON CLUSTER `main` TO readings_1h AS
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

CREATE TABLE IF NOT EXISTS events ON CLUSTER `main` (
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
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/signals/events', '{replica}', version)
PARTITION BY toYYYYMM(created_at)
ORDER BY (account_id, id)
SETTINGS
  replicated_deduplication_window = 20000,
  replicated_deduplication_window_seconds = 1209600,
  fsync_after_insert = 1,
  fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS event_sequences ON CLUSTER `main` (
  signal_id String,
  sequence SimpleAggregateFunction(max, UInt64),
  position SimpleAggregateFunction(max, UInt64)
) ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{shard}/signals/event_sequences', '{replica}')
ORDER BY signal_id
SETTINGS
  fsync_after_insert = 1,
  fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS event_sequences_view ON CLUSTER `main` TO event_sequences AS
SELECT
  signal_id,
  max(source.sequence) AS sequence,
  max(source.position) AS position
FROM events AS source
WHERE signal_id != ''
GROUP BY signal_id;

INSERT INTO event_sequences (signal_id, sequence, position)
SELECT
  signal_id,
  max(sequence),
  max(position)
FROM events
WHERE signal_id != ''
GROUP BY signal_id;

CREATE TABLE IF NOT EXISTS marks ON CLUSTER `main` (
  id String,
  at DateTime DEFAULT now()
) ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/signals/marks', '{replica}')
ORDER BY id
SETTINGS
  fsync_after_insert = 1,
  fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS alerts ON CLUSTER `main` (
  account_id String,
  id String,
  signal_id String,
  rule_id String,
  severity LowCardinality(String),
  state LowCardinality(String),
  fired_at DateTime64(3, 'UTC'),
  sequence UInt64,
  alert String CODEC(ZSTD(1)),
  silenced_by String,
  held_by LowCardinality(String)
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/signals/alerts', '{replica}', sequence)
PARTITION BY toYYYYMM(fired_at)
ORDER BY (account_id, id)
SETTINGS
  fsync_after_insert = 1,
  fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS alerts_view ON CLUSTER `main` TO alerts AS
SELECT
  source.account_id AS account_id,
  JSONExtractString(source.event, 'data', 'alert', 'id') AS id,
  source.signal_id AS signal_id,
  JSONExtractString(source.event, 'data', 'alert', 'ruleId') AS rule_id,
  JSONExtractString(source.event, 'data', 'alert', 'severity') AS severity,
  JSONExtractString(source.event, 'data', 'alert', 'state') AS state,
  parseDateTime64BestEffortOrZero(JSONExtractString(source.event, 'data', 'alert', 'firedAt'), 3, 'UTC') AS fired_at,
  source.sequence AS sequence,
  JSONExtractRaw(source.event, 'data', 'alert') AS alert,
  JSONExtractString(source.event, 'data', 'silencedBy') AS silenced_by,
  JSONExtractString(source.event, 'data', 'heldBy') AS held_by
FROM events AS source
WHERE source.kind IN ('alert.firing', 'alert.resolved', 'alert.acknowledged')
  AND JSONExtractString(source.event, 'data', 'alert', 'id') != '';

INSERT INTO alerts (account_id, id, signal_id, rule_id, severity, state, fired_at, sequence, alert, silenced_by, held_by)
SELECT
  source.account_id,
  JSONExtractString(source.event, 'data', 'alert', 'id'),
  source.signal_id,
  JSONExtractString(source.event, 'data', 'alert', 'ruleId'),
  JSONExtractString(source.event, 'data', 'alert', 'severity'),
  JSONExtractString(source.event, 'data', 'alert', 'state'),
  parseDateTime64BestEffortOrZero(JSONExtractString(source.event, 'data', 'alert', 'firedAt'), 3, 'UTC'),
  source.sequence,
  JSONExtractRaw(source.event, 'data', 'alert'),
  '',
  ''
FROM events AS source
WHERE source.kind IN ('alert.firing', 'alert.resolved')
  AND JSONExtractString(source.event, 'data', 'alert', 'id') != '';

CREATE TABLE IF NOT EXISTS alerts_by_id ON CLUSTER `main` (
  account_id String,
  id String,
  signal_id String,
  rule_id String,
  severity LowCardinality(String),
  state LowCardinality(String),
  fired_at DateTime64(3, 'UTC'),
  sequence UInt64,
  alert String CODEC(ZSTD(1)),
  silenced_by String,
  held_by LowCardinality(String)
) ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/signals/alerts_by_id', '{replica}', sequence)
ORDER BY (account_id, id)
SETTINGS
  fsync_after_insert = 1,
  fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS alerts_by_id_view ON CLUSTER `main` TO alerts_by_id AS
SELECT
  source.account_id AS account_id,
  JSONExtractString(source.event, 'data', 'alert', 'id') AS id,
  source.signal_id AS signal_id,
  JSONExtractString(source.event, 'data', 'alert', 'ruleId') AS rule_id,
  JSONExtractString(source.event, 'data', 'alert', 'severity') AS severity,
  JSONExtractString(source.event, 'data', 'alert', 'state') AS state,
  parseDateTime64BestEffortOrZero(JSONExtractString(source.event, 'data', 'alert', 'firedAt'), 3, 'UTC') AS fired_at,
  source.sequence AS sequence,
  JSONExtractRaw(source.event, 'data', 'alert') AS alert,
  JSONExtractString(source.event, 'data', 'silencedBy') AS silenced_by,
  JSONExtractString(source.event, 'data', 'heldBy') AS held_by
FROM events AS source
WHERE source.kind IN ('alert.firing', 'alert.resolved', 'alert.acknowledged')
  AND JSONExtractString(source.event, 'data', 'alert', 'id') != '';

INSERT INTO alerts_by_id (account_id, id, signal_id, rule_id, severity, state, fired_at, sequence, alert, silenced_by, held_by)
SELECT
  source.account_id,
  JSONExtractString(source.event, 'data', 'alert', 'id'),
  source.signal_id,
  JSONExtractString(source.event, 'data', 'alert', 'ruleId'),
  JSONExtractString(source.event, 'data', 'alert', 'severity'),
  JSONExtractString(source.event, 'data', 'alert', 'state'),
  parseDateTime64BestEffortOrZero(JSONExtractString(source.event, 'data', 'alert', 'firedAt'), 3, 'UTC'),
  source.sequence,
  JSONExtractRaw(source.event, 'data', 'alert'),
  JSONExtractString(source.event, 'data', 'silencedBy'),
  JSONExtractString(source.event, 'data', 'heldBy')
FROM events AS source
WHERE source.kind IN ('alert.firing', 'alert.resolved', 'alert.acknowledged')
  AND JSONExtractString(source.event, 'data', 'alert', 'id') != '';

DROP VIEW IF EXISTS alerts_view ON CLUSTER `main`;

DROP TABLE IF EXISTS alerts ON CLUSTER `main`;
