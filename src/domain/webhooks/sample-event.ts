import type { AlertData } from "../../../schemas/alert.ts";
import { AlertId, type EventId, GroupId, RuleId, SignalId } from "../../../schemas/common.ts";
import {
  API_VERSION,
  type EventData,
  type EventKind,
  type SignalServiceEvent,
} from "../../../schemas/event.ts";
import type { Signal } from "../../../schemas/signal.ts";

const SIGNAL_ID = SignalId.parse("sig_00000000000000000000SAMP1E");
const RULE_ID = RuleId.parse("rul_00000000000000000000SAMP1E");
const ALERT_ID = AlertId.parse("alr_00000000000000000000SAMP1E");

const GROUP_ID = GroupId.parse("grp_00000000000000000000SAMP1E");

const signalAt = (at: string, status: Signal["status"], sequence: number): Signal => ({
  id: SIGNAL_ID,
  name: "sample signal",
  threshold: 0.4,
  status,
  sourceId: null,
  externalId: "sample-1",
  labels: { site: "sample" },
  floorDbm: -100,
  ceilingDbm: -50,
  hysteresis: 0.05,
  noDataAfterSeconds: 300,
  strength: status === "failed" ? -84 : -61,
  quality: status === "failed" ? 0.32 : 0.78,
  lastReadingAt: at,
  reasons: status === "failed" ? [{ kind: "threshold", since: at, value: 0.32 }] : [],
  sequence,
  createdAt: at,
  updatedAt: at,
});

const alertAt = (at: string, isFiring: boolean): AlertData => ({
  id: ALERT_ID,
  ruleId: RULE_ID,
  ruleName: "sample rule",
  severity: "warning",
  state: isFiring ? "firing" : "resolved",
  firedAt: at,
  resolvedAt: isFiring ? null : at,
  value: isFiring ? -84 : -61,
  limit: -75,
  ...(isFiring ? {} : { resolveReason: "recovered" as const }),
});

/** Of two signals: both failed, or both well again. */
const groupAt = (at: string, eventId: EventId, isOver: boolean): EventData["group"] => ({
  id: GROUP_ID,
  number: isOver ? 2 : 1,
  startedAt: at,
  counts: { failing: isOver ? 0 : 2, failed: isOver ? 0 : 2, recovered: isOver ? 2 : 0, unlisted: 0 },
  signals: [1, 2].map((n) => ({
    id: n === 1 ? SIGNAL_ID : SignalId.parse("sig_00000000000000000000SAMP2E"),
    name: `sample signal ${n}`,
    externalId: `sample-${n}`,
    status: isOver ? "recovered" : "failed",
    isNew: true,
    since: at,
    severity: null,
    eventId,
  })),
});

const dataOf = (kind: EventKind, at: string, id: EventId): EventData => {
  switch (kind) {
    case "signal.created":
      return { signal: signalAt(at, "active", 1) };
    case "signal.updated":
      return { signal: signalAt(at, "active", 3), previous: { status: "failed" }, reasons: [] };
    case "signal.failed": {
      const signal = signalAt(at, "failed", 2);
      return { signal, previous: { status: "active" }, reasons: signal.reasons };
    }
    case "signal.deleted":
      return { signal: signalAt(at, "active", 4) };
    case "alert.firing":
    case "alert.resolved":
      return {
        signal: signalAt(at, kind === "alert.firing" ? "failed" : "active", 2),
        alert: alertAt(at, kind === "alert.firing"),
      };
    case "alert.acknowledged": {
      const acknowledged = { at, by: "key_00000000000000000000SAMP1E", note: "sample note" };
      return { signal: signalAt(at, "failed", 3), alert: { ...alertAt(at, true), acknowledged } };
    }
    case "source.connected":
    case "source.disconnected":
      return {
        source: {
          id: "src_00000000000000000000SAMP1E",
          name: "sample source",
          reason: kind === "source.connected" ? null : "the connection was closed",
        },
      };
    case "source.degraded":
    case "source.recovered": {
      const isOver = kind === "source.recovered";
      const reason = isOver ? "all signals that failed together are well" : "2 signals are failed";
      return {
        source: { id: "src_00000000000000000000SAMP1E", name: "sample source", reason },
        group: groupAt(at, id, isOver),
      };
    }
    case "webhook.disabled":
      return {
        webhook: {
          id: "whk_00000000000000000000SAMP1E",
          name: "sample webhook",
          reason: "The endpoint is gone for good; the webhook has been disabled.",
        },
      };
  }
};

/** An event as it would come, with nothing real in it; `id` tells one sample from another. */
export const sampleEvent = (kind: EventKind, id: EventId, atMs: number): SignalServiceEvent => {
  const at = new Date(atMs).toISOString();
  const data = dataOf(kind, at, id);
  return {
    event: kind,
    id,
    type: kind,
    createdAt: at,
    apiVersion: API_VERSION,
    sequence: data.signal?.sequence ?? null,
    data,
  };
};
