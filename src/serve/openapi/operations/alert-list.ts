import type { Operations } from "./operation.ts";

const ALERT = {
  id: "alr_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  ruleId: "rul_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  ruleName: "weak",
  signalId: "sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  severity: "warning",
  state: "firing",
  pendingSince: null,
  firedAt: "2026-01-31T09:30:00.000Z",
  resolvedAt: null,
  resolveReason: null,
  value: -83.5,
  limit: -75,
  acknowledged: null,
  silencedBy: null,
  heldBy: null,
};
const ACKNOWLEDGED = {
  at: "2026-01-31T09:31:00.000Z",
  by: "key_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  note: "on my way",
};

/** Alerts themselves. */
export const ALERT_LIST: Operations = {
  "GET /v1/alerts": {
    id: "listAlerts",
    tag: "Alerts",
    summary: "List alerts",
    description:
      "The newest first, by when they began to wait or to fire. Unless `state` says otherwise, those that fire and those that have resolved, as far back as events are kept. `state=pending` asks the evaluators, by way of the event log, which alerts wait for their `forSeconds`: 500 at the most, and `truncated` where there are more. `from` and `to` are about when alerts fired, or began to wait.",
    answer: { 200: { alerts: [ALERT], truncated: false, nextCursor: null } },
    errors: ["pipeline_unavailable"],
  },
  "GET /v1/alerts/:id": {
    id: "getAlert",
    tag: "Alerts",
    summary: "Get an alert",
    description:
      "As events have told of it last; one that has not fired yet as its evaluator says, which is asked by way of the event log.",
    answer: { 200: ALERT },
    errors: ["pipeline_unavailable"],
  },
  "POST /v1/alerts/:id/acknowledge": {
    id: "acknowledgeAlert",
    tag: "Alerts",
    summary: "Take an alert on",
    description:
      "Says to everybody who looks that somebody does, and tells it as `alert.acknowledged`. The first one counts: whoever comes later is answered with who that was. One that has resolved, taken on before or not, and one that is pending are refused with 409.",
    body: { note: "on my way" },
    answer: { 200: { ...ALERT, acknowledged: ACKNOWLEDGED } },
    errors: ["conflict", "pipeline_unavailable"],
  },
};
