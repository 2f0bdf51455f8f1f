import type { Metrics } from "../ports/telemetry.ts";

export const deliverMetrics = (metrics: Metrics) => ({
  events: metrics.counter(
    "deliver_events_total",
    "Events whose signal's state was carried into control data",
  ),
  unreadable: metrics.counter("deliver_event_unreadable_total", "Records of topic events that are no events"),
  retries: metrics.counter("deliver_retries_total", "Calls of an engine that was away", ["reason"]),
  lag: metrics.gauge("deliver_lag", "Events behind the end of the topic", ["partition"]),
  deliveries: metrics.counter("deliver_deliveries_total", "Deliveries made of events, one for each webhook"),
  attempts: metrics.counter("deliver_attempts_total", "Requests made, by what became of their deliveries", [
    "outcome",
  ]),
  lanes: metrics.gauge("deliver_lanes", "Endpoints whose deliveries this process sends, by their circuit", [
    "circuit",
  ]),
  queued: metrics.gauge("deliver_queued", "First attempts that wait in memory"),
  lostLanes: metrics.counter(
    "deliver_lanes_lost_total",
    "Lanes that another process had taken over meanwhile",
  ),
  disabled: metrics.counter(
    "deliver_webhooks_disabled_total",
    "Webhooks disabled after failure, or by their endpoint",
  ),
  pruned: metrics.counter(
    "deliver_history_pruned_total",
    "Rows of deliveries, and of their events, that were forgotten for their age",
  ),
  failures: metrics.counter("deliver_failures_total", "Failures of a kind that nobody thought of"),
});
export type DeliverMetrics = ReturnType<typeof deliverMetrics>;
