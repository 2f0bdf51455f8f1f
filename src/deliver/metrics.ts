import type { Metrics } from "../ports/telemetry.ts";

export const deliverMetrics = (metrics: Metrics) => ({
  events: metrics.counter(
    "deliver_events_total",
    "Events whose signal's state was carried into control data",
  ),
  unreadable: metrics.counter("deliver_event_unreadable_total", "Records of topic events that are no events"),
  retries: metrics.counter("deliver_retries_total", "Calls of an engine that was away", ["reason"]),
  lag: metrics.gauge("deliver_lag", "Events behind the end of the topic", ["partition"]),
});
