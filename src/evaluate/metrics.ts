import type { Metrics } from "../ports/telemetry.ts";

export type EvaluateMetrics = ReturnType<typeof evaluateMetrics>;

export const evaluateMetrics = (metrics: Metrics) => ({
  readings: metrics.counter("evaluate_readings_total", "Valid readings of known signals"),
  late: metrics.counter(
    "evaluate_late_readings_total",
    "Readings older than their signal's newest: not evaluated",
  ),
  deadLetters: metrics.counter("evaluate_dead_letters_total", "Lines and records that cannot be evaluated", [
    "reason",
  ]),
  events: metrics.counter("evaluate_events_total", "Events emitted", ["kind"]),
  liveUpdates: metrics.counter("evaluate_live_updates_total", "Newest values told on topic live"),
  liveFailures: metrics.counter(
    "evaluate_live_failures_total",
    "Appends to topic live that failed; newer values follow",
  ),
  retries: metrics.counter("evaluate_retries_total", "Calls of an engine that was away", ["reason"]),
  snapshotFailures: metrics.counter("evaluate_snapshot_failures_total", "Snapshots given up", ["reason"]),
  lag: metrics.gauge("evaluate_lag", "Records behind the end of the partition", ["partition"]),
  clockAhead: metrics.gauge(
    "evaluate_clock_ahead_seconds",
    "How far the partition's newest record is ahead of this machine's clock",
    ["partition"],
  ),
  signals: metrics.gauge("evaluate_signals", "Signals known in the partition", ["partition"]),
  eventsQueued: metrics.gauge("evaluate_events_queued", "Events that wait to be durable", ["partition"]),
  liveQueued: metrics.gauge("evaluate_live_queued", "Signals that wait to be told on topic live", [
    "partition",
  ]),
  snapshotSeconds: metrics.histogram(
    "evaluate_snapshot_seconds",
    "From the beginning of a snapshot to its seal",
  ),
  restoreSeconds: metrics.histogram("evaluate_restore_seconds", "From an assignment to the restored state"),
});
