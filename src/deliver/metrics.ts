import type { DeliveryStatus } from "../../schemas/webhook.ts";
import type { Counter, Metrics } from "../ports/telemetry.ts";

/** What an attempt can make of its delivery. */
const OUTCOMES: readonly DeliveryStatus[] = ["delivered", "pending", "failed"];
/** What becomes of an attempt to send an e-mail. */
const MAIL_OUTCOMES = ["sent", "failed", "refused"] as const;
const mailsCounter = (metrics: Metrics): Counter => {
  const help = "Attempts to send an e-mail; failed: it is tried again; refused: the server never takes it";
  const counter = metrics.counter("deliver_mails_total", help, ["outcome"]);
  for (const outcome of MAIL_OUTCOMES) counter.add(0, { outcome });
  return counter;
};

/** There from the start, as a counter that first appears at 1 has not risen by 1 to who watches it. */
const attemptsCounter = (metrics: Metrics): Counter => {
  const help = "Requests made, by what became of their deliveries; pending: they are tried again";
  const counter = metrics.counter("deliver_attempts_total", help, ["outcome"]);
  for (const outcome of OUTCOMES) counter.add(0, { outcome });
  return counter;
};

export const deliverMetrics = (metrics: Metrics) => ({
  events: metrics.counter(
    "deliver_events_total",
    "Events whose signal's state was carried into control data",
  ),
  unreadable: metrics.counter("deliver_event_unreadable_total", "Records of topic events that are no events"),
  retries: metrics.counter("deliver_retries_total", "Calls of an engine that was away", ["reason"]),
  lag: metrics.gauge("deliver_lag", "Events behind the end of the topic", ["partition"]),
  deliveries: metrics.counter("deliver_deliveries_total", "Deliveries made of events, one for each webhook"),
  attempts: attemptsCounter(metrics),
  mails: mailsCounter(metrics),
  attemptSeconds: metrics.histogram(
    "deliver_attempt_seconds",
    "From a request to its answer, or to why there is none",
  ),
  lanes: metrics.gauge("deliver_lanes", "Endpoints whose deliveries this process sends, by their circuit", [
    "circuit",
  ]),
  queued: metrics.gauge("deliver_queued", "First attempts that wait in memory"),
  connections: metrics.gauge("deliver_connections", "Connections to endpoints", ["state"]),
  waiting: metrics.gauge(
    "deliver_connections_waited_for",
    "Requests that wait for a connection to their host",
  ),
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
    "Rows of deliveries, of their events, of alerts and of e-mails that were forgotten for their age",
  ),
  groups: metrics.counter("deliver_group_notifications_total", "Notifications made for groups of signals", [
    "event",
  ]),
  grouped: metrics.counter(
    "deliver_grouped_total",
    "Deliveries that a group's notification stands for, so that they are not sent",
  ),
  groupLimits: metrics.counter(
    "deliver_group_limit_total",
    "Failures that came one by one, or were only counted, for there were too many groups, or signals in one",
    ["limit"],
  ),
  failures: metrics.counter("deliver_failures_total", "Failures of a kind that nobody thought of"),
});
export type DeliverMetrics = ReturnType<typeof deliverMetrics>;
