import type { Metrics } from "../ports/telemetry.ts";

export type RecordMetrics = ReturnType<typeof recordMetrics>;

export const recordMetrics = (metrics: Metrics) => ({
  rows: metrics.counter("record_rows_total", "Rows inserted into the time series.", ["topic"]),
  flushSeconds: metrics.histogram(
    "record_flush_seconds",
    "From the claim of a range to its end, tries again included.",
    ["topic"],
  ),
  lag: metrics.gauge("record_lag", "Records of the log that are not yet recorded.", ["topic", "partition"]),
  bufferBytes: metrics.gauge("record_buffer_bytes", "Bytes waiting to be inserted, over all partitions."),
  lostClaims: metrics.counter(
    "record_lost_claims_total",
    "Times that another worker had moved a partition's row on.",
  ),
  retries: metrics.counter("record_retries_total", "Steps tried again, by what failed.", ["fault"]),
  invalidLines: metrics.counter(
    "record_invalid_lines_total",
    "Lines that are no readings and were left out.",
    ["problem"],
  ),
  unreadableEvents: metrics.counter(
    "record_unreadable_events_total",
    "Records of the events topic that are no events and were left out.",
  ),
  trimmed: metrics.gauge("log_trimmed_before", "Offset below which the log was told to delete.", [
    "topic",
    "partition",
  ]),
});
