import { expect, test } from "vitest";
import { WebhookId } from "../../../schemas/common.ts";
import type { WebhookFilter } from "../../../schemas/webhook.ts";
import { wants } from "../../../src/domain/webhooks/match.ts";
import { fixedUlid } from "../../conformance/control-store/examples.ts";
import { ruleChange, signalChange, TestPartition } from "../../support/partition.ts";

const webhookId = (n: number) => WebhookId.parse(`whk_${fixedUlid(n)}`);
const KINDS = ["alert.firing", "alert.resolved", "alert.acknowledged"] as const;

/** What the nth webhook hears of what the evaluator tells, in its words. */
const heard = (partition: TestPartition, n: number, filter: WebhookFilter): string[] => {
  const webhook = { id: webhookId(n), settings: { events: [...KINDS], filter } };
  return partition.sink.events
    .filter((event) => wants(webhook, event))
    .map(({ event: { event, data } }) => `${event} ${data.alert?.severity}`);
};
const LEVELS = [
  { severity: "warning" as const, value: -80 },
  { severity: "critical" as const, value: -90 },
];

test("who heard of the hardest severity alone hears that it is over, by the step down and by the end", () => {
  const partition = new TestPartition();
  partition.change(signalChange(1), ruleChange(1, { condition: { operator: "below" }, levels: LEVELS }));
  partition.strengths(-85, -95, -85, -60);
  expect(heard(partition, 1, { severities: ["critical"] })).toEqual([
    "alert.firing critical",
    "alert.firing warning",
    "alert.resolved warning",
  ]);
  partition.strengths(-85, -60);
  expect(heard(partition, 1, { severities: ["critical"] })).toHaveLength(3);
});

test("who heard of an alert hears its end though its rule names another webhook by then", () => {
  const partition = new TestPartition();
  const naming = (n: number, revision: number) =>
    ruleChange(1, { notify: { webhookIds: [webhookId(n)] } }, revision);
  partition.change(signalChange(1), naming(1, 1)).strengths(-85);
  partition.change(naming(2, 2)).strengths(-60, -85);
  expect(heard(partition, 1, {})).toEqual(["alert.firing warning", "alert.resolved warning"]);
  expect(heard(partition, 2, {})).toEqual(["alert.resolved warning", "alert.firing warning"]);
});

test("who heard of an alert by the signal's labels hears its end though they have changed", () => {
  const partition = new TestPartition();
  const labelled = (site: string, revision: number) => signalChange(1, { labels: { site }, revision });
  partition.change(labelled("north", 1), ruleChange(1)).strengths(-85);
  partition.change(labelled("south", 2)).strengths(-60, -85, -60);
  const all = { labels: { site: "north" }, severities: ["warning" as const] };
  expect(heard(partition, 1, all)).toEqual(["alert.firing warning", "alert.resolved warning"]);
  // Half of what it was told under is not enough.
  expect(heard(partition, 1, { ...all, severities: ["critical"] })).toEqual([]);
});
