import { expect, test } from "vitest";
import { Delivering } from "../support/deliver.ts";
import { startReceiver } from "../support/receiver.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

test("links that are over are forgotten within an hour, however many there are", async () => {
  const own = await Delivering.open();
  const { links } = own.control.access;
  const link = { purpose: "stop-mails", content: null, expiresAt: own.clock.now() + 1 } as const;
  for (let n = 0; n < 1_100; n++) await links.add(`link ${n}`, { ...link, subject: `${n}` });
  await links.add("to come", { ...link, subject: "x", expiresAt: own.clock.now() + 10 * HOUR_MS });
  await own.start();
  await own.passing("them to be forgotten", async () => {
    own.clock.leap(60_000);
    return (await own.control.transfer.count("link")) === 1;
  });
  expect((await links.open("x", "stop-mails")).length).toBe(1);
});

test("deliveries are forgotten some days after their events, but for those still to be sent", async () => {
  const own = await Delivering.open();
  const [well, ill] = [await startReceiver(), await startReceiver()];
  ill.answer = (_, response) => response.writeHead(500).end();
  const [done, pending] = [await own.subscribe(well.url), await own.subscribe(ill.url)];
  await own.start({ historyDays: 3 });
  await own.happen(600);
  await own.passing("all to be delivered", async () => {
    const all = await own.deliveries(done.id);
    return all.length === 500 && all.every(({ status }) => status === "delivered");
  });
  const count = (table: string) => own.control.transfer.count(table);
  own.clock.leap(HOUR_MS);
  await own.passing("more to be kept", () => well.received.length === 600);
  expect(await count("delivery")).toBe(1_200);
  own.clock.leap(3 * DAY_MS);
  await own.passing("the history to be forgotten", async () => (await own.deliveries(done.id)).length === 0);
  expect(await count("webhook_event")).toBe(600);
  expect((await own.deliveries(pending.id)).length).toBeGreaterThan(0);
  await own.control.webhooks.update(own.account, pending.id, { enabled: false });
  own.clock.leap(HOUR_MS);
  await own.passing("the rest to be forgotten", async () => (await count("webhook_event")) === 0);
  expect([await count("delivery"), await count("delivery_attempt")]).toEqual([0, 0]);
});
