import type { DeliveryStatus } from "../../schemas/webhook.ts";
import { MAIL_LIMITS } from "../domain/alert-mails/budget.ts";
import type { Counter, Metrics } from "../ports/telemetry.ts";
import { MAIL_KINDS } from "./alert-mail-flush.ts";
import { NEWS_OUTCOMES } from "./alert-mails.ts";

/** What an attempt can make of its delivery. */
const OUTCOMES: readonly DeliveryStatus[] = ["delivered", "pending", "failed"];
/** What becomes of an attempt to send an e-mail. */
const MAIL_OUTCOMES = ["sent", "failed", "refused"] as const;

/** Each value of its label is there from the start, as a counter that first appears at 1 has not risen by 1 to who watches it. */
const labelled = (counter: Counter, label: string, values: readonly string[]): Counter => {
  for (const value of values) counter.add(0, { [label]: value });
  return counter;
};

const mailsCounter = (metrics: Metrics): Counter => {
  const help = "Attempts to send an e-mail; failed: it is tried again; refused: the server never takes it";
  return labelled(metrics.counter("deliver_mails_total", help, ["outcome"]), "outcome", MAIL_OUTCOMES);
};

const alertMailCounters = (metrics: Metrics) => ({
  alertMails: labelled(
    metrics.counter("deliver_alert_mails_total", "E-mails made of alerts; digest: of several rules", ["of"]),
    "of",
    MAIL_KINDS,
  ),
  alertMailNews: labelled(
    metrics.counter(
      "deliver_alert_mail_news_total",
      "Firings and resolutions for an address; counted: there were too many to tell which; stopped: its reader wants none",
      ["outcome"],
    ),
    "outcome",
    NEWS_OUTCOMES,
  ),
  alertMailWaits: labelled(
    metrics.counter("deliver_alert_mail_waits_total", "Times that an address had to wait for a limit", [
      "limit",
    ]),
    "limit",
    MAIL_LIMITS,
  ),
});

const attemptsCounter = (metrics: Metrics): Counter => {
  const help = "Requests made, by what became of their deliveries; pending: they are tried again";
  return labelled(metrics.counter("deliver_attempts_total", help, ["outcome"]), "outcome", OUTCOMES);
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
  mailsWaiting: metrics.gauge("deliver_mails_waiting", "E-mails that wait to be sent, or sent again"),
  ...alertMailCounters(metrics),
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
