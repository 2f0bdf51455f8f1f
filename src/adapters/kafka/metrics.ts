import type { Counter, Gauge, Histogram, Metrics } from "../../ports/telemetry.ts";

export interface LogMetrics {
  readonly bytes: Gauge;
  readonly pendingBytes: Gauge;
  readonly appends: Counter;
  readonly appendSeconds: Histogram;
  readonly unavailable: Counter;
  readonly full: Counter;
  readonly ambiguous: Counter;
  readonly groupFailures: Counter;
  readonly skipped: Counter;
  readonly unreadable: Counter;
  readonly feedBytes: Gauge;
  readonly groupPartitions: Gauge;
  readonly groupPartitionsRead: Gauge;
}

export const unreadableBatches = (metrics: Metrics): Counter =>
  metrics.counter(
    "log_batch_unreadable_total",
    "Batches of Kafka that can never be unpacked and were passed over, each time that one was read",
    ["topic"],
  );

export const logMetrics = (metrics: Metrics): LogMetrics => ({
  bytes: metrics.gauge(
    "log_bytes",
    "Bytes that the records of the event log use, once; on Kafka an estimate",
    [],
    "max",
  ),
  pendingBytes: metrics.gauge("log_pending_bytes", "Bytes that wait to become durable in the event log"),
  appends: metrics.counter("log_appends_total", "Durable appends to the event log", ["topic"]),
  appendSeconds: metrics.histogram("log_append_seconds", "From the call of an append until it was durable"),
  unavailable: metrics.counter(
    "log_unavailable_total",
    "Writes to the event log that failed and were tried again",
  ),
  full: metrics.counter("log_full_total", "Bounded appends refused because the event log is at its limit"),
  ambiguous: metrics.counter(
    "log_ambiguous_appends_total",
    "Writes to Kafka without an answer whose client had to be rebuilt: they may stand in the log twice",
  ),
  skipped: metrics.counter(
    "log_skipped_records_total",
    "Records that were deleted from Kafka before a reader came to them",
    ["topic"],
  ),
  unreadable: unreadableBatches(metrics),
  feedBytes: metrics.gauge("log_feed_bytes", "Bytes read from Kafka that wait for their consumer", [
    "group",
    "topic",
  ]),
  groupPartitions: metrics.gauge("log_group_partitions", "Partitions of a topic that a group is to read", [
    "group",
    "topic",
  ]),
  groupPartitionsRead: metrics.gauge(
    "log_group_partitions_read",
    "Partitions that this process reads for a group: those of all its members make up log_group_partitions",
    ["group", "topic"],
  ),
  groupFailures: metrics.counter(
    "log_group_failed_total",
    "Group members that had to join anew after a failure",
    ["group", "topic"],
  ),
});
