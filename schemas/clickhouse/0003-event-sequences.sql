-- How far each signal's events have come: its greatest sequence and position, so that a start need not read all events.
-- Greatest values stay the same when counted twice: no window, and an insert sent again mends what a crash left out.
CREATE TABLE IF NOT EXISTS event_sequences (
  signal_id String,
  sequence SimpleAggregateFunction(max, UInt64),
  position SimpleAggregateFunction(max, UInt64)
) ENGINE = AggregatingMergeTree
ORDER BY signal_id
SETTINGS
  fsync_after_insert = 1,
  fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS event_sequences_view TO event_sequences AS
SELECT
  signal_id,
  max(source.sequence) AS sequence,
  max(source.position) AS position
FROM events AS source
WHERE signal_id != ''
GROUP BY signal_id;

-- What was stored before the view was there.
INSERT INTO event_sequences (signal_id, sequence, position)
SELECT
  signal_id,
  max(sequence),
  max(position)
FROM events
WHERE signal_id != ''
GROUP BY signal_id;
