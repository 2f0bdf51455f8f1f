import { expect, test } from "vitest";
import { EventId, SilenceId, WebhookId } from "../../../schemas/common.ts";
import { Email } from "../../../schemas/email.ts";
import type { EventData, EventKind } from "../../../schemas/event.ts";
import type { Notify } from "../../../schemas/notify.ts";
import { wants } from "../../../src/domain/webhooks/match.ts";
import { sampleEvent } from "../../../src/domain/webhooks/sample-event.ts";
import { fixedUlid } from "../../conformance/control-store/examples.ts";

const webhookOf = (n: number) => WebhookId.parse(`whk_${fixedUlid(n)}`);
const isWanted = (kind: EventKind, data: EventData = {}, filter = {}) => {
  const event = sampleEvent(kind, EventId.parse(`evt_${fixedUlid(1)}`), 0);
  const settings = { events: [kind], filter };
  return wants(
    { id: webhookOf(1), settings },
    { signalId: null, event: { ...event, data: { ...event.data, ...data } } },
  );
};
const { alert } = sampleEvent("alert.firing", EventId.parse(`evt_${fixedUlid(1)}`), 0).data;

test.each(["signal.failed", "signal.updated", "alert.firing", "alert.resolved"] as const)(
  "%s is told to nobody while it is silenced or held back",
  (kind) => {
    expect(isWanted(kind)).toBe(true);
    expect(isWanted(kind, { silencedBy: SilenceId.parse(`sil_${fixedUlid(1)}`) })).toBe(false);
    expect(isWanted(kind, { heldBy: "flapping" })).toBe(false);
  },
);

test("an alert is told to those alone whom its rule names", () => {
  const naming = (...ids: number[]): EventData =>
    alert === undefined ? {} : { alert: { ...alert, notify: { webhookIds: ids.map(webhookOf) } } };
  expect(isWanted("alert.acknowledged", naming(2, 1))).toBe(true);
  expect(isWanted("alert.acknowledged", naming(2))).toBe(false);
  expect(isWanted("alert.firing", naming(1), { severities: ["critical"] })).toBe(false);
});

test("who follows signals by a label is told of the change that takes it away, and of nothing after", () => {
  const { signal } = sampleEvent("signal.updated", EventId.parse(`evt_${fixedUlid(1)}`), 0).data;
  if (signal === undefined) throw new Error("no signal");
  const north = { labels: { site: "north" } };
  const moved = { ...signal, labels: { site: "south" } };
  expect(isWanted("signal.updated", { signal: moved, previous: { labels: { site: "north" } } }, north)).toBe(
    true,
  );
  expect(isWanted("signal.updated", { signal: moved, previous: { name: "mast" } }, north)).toBe(false);
  expect(isWanted("signal.failed", { signal: moved }, north)).toBe(false);
});

test("an alert is told to every webhook where its rule names addresses alone, and to none where it names none", () => {
  const emails = [Email.parse("jane@example.org")];
  const naming = (notify: Notify): EventData => (alert === undefined ? {} : { alert: { ...alert, notify } });
  expect(isWanted("alert.firing", naming({ emails }))).toBe(true);
  expect(isWanted("alert.firing", naming({ emails, webhookIds: [] }))).toBe(false);
  expect(isWanted("alert.firing", naming({ emails, webhookIds: [webhookOf(1)] }))).toBe(true);
});
