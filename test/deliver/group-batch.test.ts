import { expect, test } from "vitest";
import { WebhookId } from "../../schemas/common.ts";
import { WebhookCreate, WebhookGroups } from "../../schemas/webhook.ts";
import { GroupBatch } from "../../src/deliver/group-batch.ts";
import { ulid } from "../../src/domain/ids.ts";
import { WEBHOOK_GROUPS_MAX } from "../../src/domain/webhooks/group.ts";
import { SourceEvents } from "../support/group-events.ts";
import { accountId, sourceId } from "../support/partition.ts";

test("a webhook has so many groups at once, and failures of further sources are left to come by themselves", () => {
  const id = WebhookId.parse(`whk_${ulid(0, Buffer.alloc(10))}`);
  const settings = WebhookCreate.parse({ url: "https://a.example/", events: ["signal.failed"] });
  const webhook = {
    id,
    accountId: accountId(1),
    revision: 1,
    settings: { ...settings, groups: WebhookGroups.parse({}) },
    secrets: { secret: "", previous: null, previousValidUntil: null },
    disabledReason: null,
    createdAt: 0,
    updatedAt: 0,
  };
  const limits: string[] = [];
  const counts = new Map([[id, WEBHOOK_GROUPS_MAX - 1]]);
  const batch = new GroupBatch([], counts, (limit) => limits.push(limit));
  const [one, two] = [1, 2].map((n) => {
    const { signalId, event } = new SourceEvents(accountId(1), sourceId(n)).failed(n, 0);
    if (signalId === null) throw new Error("no signal");
    return batch.step(webhook, sourceId(n), { signalId, event, position: n, nowMs: 0 }, true);
  });
  expect(one?.becomes).toBe("held");
  expect(two).toBeNull();
  expect(limits).toEqual(["groups"]);
  expect(batch.changes).toHaveLength(1);
});
