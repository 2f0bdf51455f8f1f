import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { aWebhook, MINE, succeeded } from "../../conformance/control-store/examples.ts";
import { asked, newSchema, openTestControl, postgresUrl } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";

const server = await postgresUrl();
const LEASE_MS = 60_000;

const setUp = async () => {
  const url = await newSchema(server);
  const store = await openTestControl({ url });
  onTestFinished(() => store.close());
  const { id } = succeeded(await store.webhooks.create(MINE, aWebhook()));
  const [lane] = await store.lanes.take("a", 9, LEASE_MS);
  if (lane === undefined) throw new Error("no lane");
  const owner = new pg.Client(url);
  await owner.connect();
  onTestFinished(() => owner.end());
  const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock'";
  const aWait = () => until("somebody to wait", async () => (await asked(url, waiting)).length > 0);
  return { store, id, lane, owner, aWait };
};

test("the service disables a webhook without waiting for its owner over a lane that it holds itself", async () => {
  const { store, id, lane, owner, aWait } = await setUp();
  // As a PATCH does: the webhook first, then its lane.
  await owner.query("begin");
  await owner.query("select 1 from webhook where id = $1 for update", [id]);
  const saving = store.lanes.save([{ ...lane, attempts: [], disable: "Gone." }]);
  await aWait();
  await owner.query("select 1 from webhook_lane where webhook_id = $1 for update nowait", [id]);
  await owner.query("commit");
  expect(await saving).toEqual(new Set());
  expect((await store.webhooks.get(MINE, id))?.webhook.disabledReason).toBe("Gone.");
});

test("what its owner enabled anew is not disabled by who held its lane before", async () => {
  const { store, id, lane, aWait, owner } = await setUp();
  succeeded(await store.webhooks.update(MINE, id, { enabled: false }));
  await owner.query("begin");
  await owner.query("select 1 from webhook where id = $1 for update", [id]);
  const enabling = store.webhooks.update(MINE, id, { enabled: true });
  await aWait();
  const saving = store.lanes.save([{ ...lane, attempts: [], disable: "Failed for 120 hours." }]);
  await owner.query("commit");
  succeeded(await enabling);
  expect(await saving).toEqual(new Set([id]));
  const shown = await store.webhooks.get(MINE, id);
  expect(shown?.webhook).toMatchObject({ settings: { enabled: true }, disabledReason: null });
  expect(await store.lanes.take("b", 9, LEASE_MS)).toHaveLength(1);
});
