import { expect, test } from "vitest";
import type { Event, Webhook } from "../../src/dashboard/api/types.ts";
import { heldBackOf } from "../../src/dashboard/pages/settings/held-back.ts";

const webhook: Webhook = {
  id: "whk_1",
  url: "https://pager.example/",
  events: ["alert.firing", "signal.failed"],
  name: null,
  enabled: true,
  filter: {},
  signing: true,
  ratePerSecond: null,
  groups: null,
  apiVersion: "v1",
  status: "enabled",
  statusReason: null,
  health: { circuit: "closed", failuresInRow: 0, failingSince: null },
  previousSecretValidUntil: null,
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
};

const signal: NonNullable<Event["data"]["signal"]> = {
  id: "sig_1",
  name: "roof",
  threshold: 0.4,
  status: "failed",
  sourceId: null,
  externalId: null,
  labels: { site: "north" },
  floorDbm: -100,
  ceilingDbm: -50,
  hysteresis: 0.05,
  noDataAfterSeconds: 300,
  strength: -84,
  quality: 0.32,
  lastReadingAt: null,
  reasons: [],
  sequence: 1,
  createdAt: "2026-01-31T09:00:00.000Z",
  updatedAt: "2026-01-31T09:00:00.000Z",
};
const alert: NonNullable<Event["data"]["alert"]> = {
  id: "alr_1",
  ruleId: "rul_1",
  ruleName: "weak",
  severity: "warning",
  state: "firing",
  firedAt: "2026-01-31T09:00:00.000Z",
  resolvedAt: null,
  value: -84,
  limit: -75,
};
const event = (kind: Event["event"], data: Event["data"]): Event => ({
  event: kind,
  id: "evt_1",
  type: kind,
  createdAt: "2026-01-31T09:00:00.000Z",
  apiVersion: "v1",
  sequence: 1,
  data: { signal, ...data },
});

test("what a webhook asks for and nobody was told of is counted by why", () => {
  const happened = [
    event("alert.firing", { alert, heldBy: "flapping" }),
    event("signal.failed", { heldBy: "flapping" }),
    event("alert.firing", { alert, silencedBy: "sil_1" }),
    event("alert.firing", { alert, silencedBy: "sil_1", heldBy: "flapping" }),
    event("alert.firing", { alert }),
    event("alert.resolved", { alert, heldBy: "flapping" }),
  ];
  expect(heldBackOf(webhook, happened)).toEqual({ flapping: 2, silenced: 2 });
});

test("what its filter or the rule leaves out was not held back from it", () => {
  const held = { alert, heldBy: "flapping" } as const;
  const count = (filter: Webhook["filter"], data: Event["data"] = held) =>
    heldBackOf({ ...webhook, filter }, [event("alert.firing", data)]).flapping;
  expect(count({ signalIds: ["sig_1"], labels: { site: "north" }, severities: ["warning"] })).toBe(1);
  expect(count({ signalIds: ["sig_2"] })).toBe(0);
  expect(count({ labels: { site: "south" } })).toBe(0);
  expect(count({ severities: ["critical"] })).toBe(0);
  expect(count({}, { ...held, alert: { ...alert, notify: { webhookIds: ["whk_2"] } } })).toBe(0);
});
