import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { EventId } from "../../../schemas/common.ts";
import { flushGroups } from "../../../src/deliver/group-flush.ts";
import { WebhookBook } from "../../../src/deliver/webhook-book.ts";
import { deliveryIdOf } from "../../../src/domain/webhooks/delivery-id.ts";
import { newGroup } from "../../../src/domain/webhooks/group.ts";
import {
  aDelivery,
  aWebhook,
  fixedUlid,
  MINE,
  SOURCE,
  succeeded,
} from "../../conformance/control-store/examples.ts";
import { asked, newSchema, openTestControl, postgresUrl } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";

const server = await postgresUrl();

test("a group is flushed without waiting for its webhook's owner over what it has changed itself", async () => {
  const url = await newSchema(server);
  const store = await openTestControl({ url });
  onTestFinished(() => store.close());
  const { id, settings } = succeeded(await store.webhooks.create(MINE, aWebhook({ groups: {} })));
  if (settings.groups === null) throw new Error("no groups");
  const of = { webhookId: id, accountId: MINE, sourceId: SOURCE };
  const group = newGroup(of, EventId.parse(`evt_${fixedUlid(7)}`), settings.groups, 0);
  const held = aDelivery(id, 0);
  await store.deliveries.add([{ ...held, status: "held" }]);
  const deliveryId = deliveryIdOf(id, held.event.id);
  await store.webhookGroups.save([{ group, members: [], held: [{ deliveryId, isTold: true }] }]);
  const owner = new pg.Client(url);
  await owner.connect();
  onTestFinished(() => owner.end());
  // As a PATCH does: the webhook first, then what it holds, then its groups.
  await owner.query("begin");
  await owner.query("select 1 from webhook where id = $1 for update", [id]);
  const flushing = store.transaction(async (within) => {
    const book = new WebhookBook();
    await book.refresh(within);
    return flushGroups(within, book, 99_999, 10);
  });
  const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock'";
  await until("the flush to wait", async () => (await asked(url, waiting)).length > 0);
  await owner.query("select 1 from delivery where webhook_id = $1 for update nowait", [id]);
  await owner.query("select 1 from webhook_group where webhook_id = $1 for update nowait", [id]);
  await owner.query("commit");
  expect(await flushing).toEqual([{ webhookId: id, told: null, position: 0 }]);
  expect(await store.deliveries.waiting()).toEqual(new Map([[id, 0]]));
});
