import type { ServerResponse } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import type { StoredWebhook } from "../../src/ports/webhooks.ts";
import { ManualClock } from "../support/clock.ts";
import { Delivering } from "../support/deliver.ts";
import { FaultyLog } from "../support/faulty-log.ts";
import { asked, newSchema, openTestControl, postgresUrl } from "../support/postgres.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";

const server = await postgresUrl();
const OWNERS = "select owner, count(*) as lanes from webhook_lane where owner is not null group by owner";
const LEASE_MS = 15_000;

/** Two on one database, each with a clock of its own. The first one makes the deliveries. */
const setUp = async () => {
  const url = await newSchema(server);
  const open = async () => {
    const clock = new ManualClock();
    const control = await openTestControl({ url, clock });
    onTestFinished(() => control.close());
    return Delivering.open(clock, control);
  };
  const [one, two] = [await open(), await open()];
  /** As a worker that no partition of topic `events` is assigned to. */
  const unfed = Object.assign(new FaultyLog(two.log), {
    consume: async () => ({ stop: async () => undefined, trouble: () => null, lag: () => new Map() }),
  });
  /** Lets time pass for both. */
  const passing: typeof one.passing = (what, probe) =>
    one.passing(what, async () => {
      const found = await probe();
      if (!found) two.clock.advance(10);
      return found;
    });
  const subscribed = async (count: number) => {
    const receivers = await Promise.all(Array.from({ length: count }, () => startReceiver()));
    const webhooks = await Promise.all(receivers.map((receiver) => one.subscribe(receiver.url)));
    return { receivers, webhooks };
  };
  const owners = () => asked<{ owner: string; lanes: string }>(url, OWNERS);
  return { one, two, unfed, passing, subscribed, owners };
};
const total = (receivers: readonly Receiver[]) =>
  receivers.reduce((sum, { received }) => sum + received.length, 0);
const allDelivered = async (own: Delivering, webhooks: readonly StoredWebhook[]) => {
  const all = await Promise.all(webhooks.map(({ id }) => own.deliveries(id)));
  return all.flat().every(({ status }) => status === "delivered");
};

test("two deliver workers share the endpoints, and send each event once", async () => {
  const { one, two, unfed, passing, subscribed, owners } = await setUp();
  const { receivers, webhooks } = await subscribed(6);
  await one.start();
  await two.start({ log: unfed });
  await passing("both to hold three", async () => {
    const shares = (await owners()).map(({ lanes }) => Number(lanes));
    return isDeepStrictEqual(shares, [3, 3]);
  });
  await one.happen(30);
  await passing("all to arrive", () => total(receivers) >= 180);
  await passing("all to be kept", () => allDelivered(one, webhooks));
  expect(total(receivers)).toBe(180);
  for (const receiver of receivers) expect(new Set(receiver.ids()).size).toBe(30);
});

describe("endpoints that one gives away to another", () => {
  const given = async (answer: (response: ServerResponse) => void) => {
    const { one, two, unfed, passing, subscribed, owners } = await setUp();
    const { receivers, webhooks } = await subscribed(4);
    for (const receiver of receivers)
      receiver.answer = (_, response) => {
        answer(response);
      };
    await one.start();
    await one.happen();
    await one.passing("a request at each", () => total(receivers) === 4);
    const startedAt = one.clock.now();
    await two.start({ log: unfed });
    return { one, passing, owners, receivers, webhooks, startedAt };
  };
  const shared = (owners: () => Promise<{ owner: string; lanes: string }[]>) => async () =>
    isDeepStrictEqual(
      (await owners()).map(({ lanes }) => Number(lanes)),
      [2, 2],
    );

  test("are given within seconds though they hang, and asked anew; those that are kept feel nothing", async () => {
    const hanging: ServerResponse[] = [];
    const { one, passing, owners, receivers, webhooks, startedAt } = await given((response) => {
      hanging.push(response);
    });
    await passing("both to hold two", shared(owners));
    // What is under way may end within 3 s; the leases of the others are prolonged meanwhile.
    expect(one.clock.now() - startedAt).toBeLessThan(10_000);
    await passing("the other one to ask", () => total(receivers) === 6);
    expect(receivers.map(({ received }) => received.length).toSorted()).toEqual([1, 1, 2, 2]);
    for (const receiver of receivers) expect(new Set(receiver.ids()).size).toBe(1);
    await passing(
      "what was broken off to be closed",
      () => hanging.filter((one) => one.destroyed).length === 2,
    );
    for (const response of hanging) if (!response.destroyed) response.writeHead(204).end();
    await passing("all to be kept", () => allDelivered(one, webhooks));
    // What was broken off counts for nothing: each has one attempt.
    for (const { id } of webhooks)
      expect(await one.deliveries(id)).toMatchObject([{ attempts: [{ number: 1, responseStatus: 204 }] }]);
    expect((await one.telemetry.metrics.expose()).text).not.toMatch(/deliver_lanes_lost_total [1-9]/);
    expect(total(receivers)).toBe(6);
  });

  test("are given with nothing left to repeat where what is under way ends in time", async () => {
    const hanging: ServerResponse[] = [];
    const { one, passing, owners, receivers, webhooks, startedAt } = await given((response) => {
      hanging.push(response);
    });
    await passing("two of them to be let go of", () => one.clock.now() - startedAt >= 1_500);
    expect(await shared(owners)()).toBe(false);
    for (const response of hanging) response.writeHead(204).end();
    await passing("both to hold two", shared(owners));
    await passing("all to be kept", () => allDelivered(one, webhooks));
    expect(total(receivers)).toBe(4);
  });
});

test("one that stands still loses its endpoints, and what it learns afterwards is refused", async () => {
  const { one, two, unfed, passing, subscribed } = await setUp();
  const { receivers, webhooks } = await subscribed(1);
  const [receiver] = receivers;
  const [webhook] = webhooks;
  if (receiver === undefined || webhook === undefined) throw new Error("none");
  let answerLate: () => void = () => undefined;
  receiver.answer = (_, response) => {
    if (receiver.received.length === 1) answerLate = () => response.writeHead(500).end();
    else response.writeHead(204).end();
  };
  await one.start();
  await one.happen();
  await one.passing("the first request", () => receiver.received.length === 1);
  // The clock of the first one stands still from here on, as it does itself.
  await two.start({ log: unfed });
  const frozenAt = two.clock.now();
  const lead = one.clock.now() - frozenAt;
  await two.passing("the other to take over", () => receiver.received.length === 2);
  expect(two.clock.now() - frozenAt - Math.max(0, lead)).toBeLessThan(LEASE_MS + 5_000);
  await two.passing("it to be delivered", () => allDelivered(one, webhooks));
  const before = await one.deliveries(webhook.id);
  answerLate();
  await passing("the first one to notice", async () =>
    (await one.telemetry.metrics.expose()).text.includes("deliver_lanes_lost_total 1"),
  );
  expect(await one.deliveries(webhook.id)).toEqual(before);
  expect(before).toMatchObject([{ status: "delivered", attempts: [{ number: 1, responseStatus: 204 }] }]);
  await one.happen();
  await passing("the next one", () => receiver.received.length === 3);
  await passing("it to be kept", () => allDelivered(one, webhooks));
});
