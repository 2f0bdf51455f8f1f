import { describe, expect, test } from "vitest";
import type { WebhookId } from "../../schemas/common.ts";
import { createWebhookSender } from "../../src/outgoing/webhook-sender.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import { Delivering } from "../support/deliver.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";

const FORESEEN_BY_NOBODY = "nobody thought of this";

const setUp = async (endpoints = 1) => {
  const own = await Delivering.open();
  const receivers = await Promise.all(Array.from({ length: endpoints }, () => startReceiver()));
  const ids: WebhookId[] = [];
  for (const { url } of receivers) ids.push((await own.subscribe(url)).id);
  const failures = async () =>
    Number(/deliver_failures_total (\d+)/.exec((await own.telemetry.metrics.expose()).text)?.[1] ?? 0);
  const all = async () => (await Promise.all(ids.map((id) => own.deliveries(id)))).flat();
  const allDelivered = (count: number) =>
    own.passing("all to be kept as delivered", async () => {
      const made = await all();
      return made.length === count && made.every(({ status }) => status === "delivered");
    });
  return { own, receivers, ids, failures, all, allDelivered };
};
const total = (receivers: readonly Receiver[]) =>
  receivers.reduce((sum, { received }) => sum + received.length, 0);

/** Control data of which one call fails so many times, before or after it has done what it does. */
const failing = <Name extends "deliveries" | "lanes", Call extends keyof ControlStore[Name]>(
  control: ControlStore,
  name: Name,
  call: Call,
  change: (real: ControlStore[Name][Call]) => ControlStore[Name][Call],
): ControlStore => ({ ...control, [name]: { ...control[name], [call]: change(control[name][call]) } });

describe("deliveries", () => {
  test("that could not be read for an unforeseen reason are read again, first attempts and retries", async () => {
    const { own, receivers, failures, allDelivered } = await setUp();
    const [receiver] = receivers;
    if (receiver === undefined) throw new Error("none");
    receiver.answer = (_, response) => response.writeHead(receiver.received.length === 1 ? 500 : 204).end();
    const left = { first: 2, retries: 2 };
    const broken = failing(
      failing(own.control, "deliveries", "first", (real) => async (...query) => {
        if (left.first-- > 0) throw new Error(FORESEEN_BY_NOBODY);
        return real(...query);
      }),
      "deliveries",
      "retries",
      (real) =>
        async (...query) => {
          // Not the first look, which finds nothing.
          if (receiver.received.length > 0 && left.retries-- > 0) throw new Error(FORESEEN_BY_NOBODY);
          return real(...query);
        },
    );
    await own.happen(3);
    await own.start({ control: broken });
    await allDelivered(3);
    expect(receiver.received).toHaveLength(4);
    expect(await failures()).toBe(4);
  });

  test("whose request failed for an unforeseen reason are sent again, in their turn", async () => {
    const { own, receivers, failures, allDelivered } = await setUp();
    const real = createWebhookSender({ clock: own.clock, allowPrivate: true });
    let left = 2;
    const sender: typeof real = {
      counts: () => real.counts(),
      close: () => real.close(),
      send: async (request) => {
        if (left-- > 0) throw new TypeError(FORESEEN_BY_NOBODY);
        return real.send(request);
      },
    };
    await own.start({ sender });
    await own.happen(5);
    await allDelivered(5);
    expect(new Set(receivers[0]?.ids()).size).toBe(5);
    expect([total(receivers), await failures()]).toEqual([5, 2]);
  });

  test("are sent again in time, though first attempts of other signals hang, and have others behind them", async () => {
    const { own, receivers, ids } = await setUp();
    const [receiver] = receivers;
    const [id] = ids;
    if (receiver === undefined || id === undefined) throw new Error("none");
    const hung = new Set<string>();
    receiver.answer = (request, response) => {
      const webhookId = String(request.headers["webhook-id"]);
      if (receiver.received.length === 1) hung.add(webhookId);
      else if (!hung.has(webhookId))
        response.writeHead(receiver.ids().filter((one) => one === webhookId).length === 1 ? 500 : 204).end();
    };
    await own.start();
    await own.happen(1);
    await own.passing("the first one to hang", () => receiver.received.length === 1);
    // Behind it, and one of another signal, which fails.
    await own.happenAgain();
    await own.happen(1);
    const one = (status: string) => async () =>
      (await own.deliveries(id)).find(
        (delivery) => delivery.attempts.length > 0 && delivery.status === status,
      );
    const failed = await own.passing("it to fail", one("pending"));
    const done = await own.passing("the second attempt", one("delivered"));
    const lateMs = Date.parse(done.attempts[1]?.at ?? "") - Date.parse(failed.nextAttemptAt ?? "");
    expect(lateMs).toBeLessThan(500);
    expect(receiver.received).toHaveLength(3);
  });
});

describe("what came of attempts", () => {
  test("is kept in the end where keeping it failed for an unforeseen reason, and nothing is sent twice", async () => {
    const { own, receivers, failures, all, allDelivered } = await setUp(2);
    let isBroken = true;
    const control = failing(own.control, "lanes", "save", (real) => async (progress) => {
      if (isBroken) throw new Error(FORESEEN_BY_NOBODY);
      return real(progress);
    });
    await own.start({ control });
    await own.happen(600);
    await own.passing("as many as may be unkept", () => total(receivers) >= 500);
    const already = await failures();
    await own.passing("it to be tried again", async () => (await failures()) >= already + 3);
    // What is not kept is sent again after a kill: so there is a limit, beside what is under way.
    expect(total(receivers)).toBeLessThanOrEqual(500 + 2 * 32);
    expect((await all()).every(({ attempts }) => attempts.length === 0)).toBe(true);
    isBroken = false;
    await own.passing("all to arrive", () => total(receivers) >= 1_200);
    await own.passing("all to be kept", async () => (await own.control.deliveries.waiting()).size === 0);
    await allDelivered(1_000);
    expect((await all()).every(({ attempts }) => attempts.length === 1)).toBe(true);
    for (const receiver of receivers) expect(new Set(receiver.ids()).size).toBe(600);
    expect(total(receivers)).toBe(1_200);
  });

  test("is kept once where it was kept though that seemed to fail", async () => {
    const { own, receivers, failures, all, allDelivered } = await setUp();
    let left = 3;
    const control = failing(own.control, "lanes", "save", (real) => async (progress) => {
      const gone = await real(progress);
      if (left-- > 0) throw new Error(FORESEEN_BY_NOBODY);
      return gone;
    });
    await own.start({ control });
    await own.happen(5);
    await allDelivered(5);
    await own.passing("it to be told that all is kept", async () => (await failures()) === 3 && left < 0);
    expect((await all()).every(({ attempts }) => attempts.length === 1)).toBe(true);
    expect(total(receivers)).toBe(5);
  });

  test("disables a webhook once, though that seemed to fail, and not what its owner enabled since", async () => {
    const { own, receivers, ids, failures } = await setUp();
    const [receiver] = receivers;
    const [id] = ids;
    if (receiver === undefined || id === undefined) throw new Error("none");
    receiver.answer = (_, response) => response.writeHead(receiver.received.length === 1 ? 410 : 204).end();
    let left = 1;
    const control = failing(own.control, "lanes", "save", (real) => async (progress) => {
      const gone = await real(progress);
      if (left-- <= 0) return gone;
      await own.control.webhooks.update(own.account, id, { enabled: true });
      throw new Error(FORESEEN_BY_NOBODY);
    });
    await own.start({ control });
    await own.happen();
    await own.passing("it to fail", async () => (await failures()) === 1);
    await own.passing("it to be tried again", () => left < 0);
    const shown = await own.control.webhooks.get(own.account, id);
    expect(shown?.webhook).toMatchObject({ settings: { enabled: true }, disabledReason: null, revision: 3 });
    await own.happen();
    await own.passing("the next event", () => receiver.received.length === 2);
  });
});

test("a lane that was taken though that seemed to fail is let go of, and taken again", async () => {
  const { own, receivers } = await setUp();
  let left = 1;
  const control = failing(own.control, "lanes", "take", (real) => async (...wish) => {
    const taken = await real(...wish);
    if (receivers.length > 1 && taken.length > 0 && left-- > 0) throw new Error(FORESEEN_BY_NOBODY);
    return taken;
  });
  await own.start({ control });
  await own.happen();
  await own.passing("the first one to have it", () => total(receivers) === 1);
  const another = await startReceiver();
  receivers.push(another);
  await own.subscribe(another.url);
  await own.passing("it to be taken", () => left < 1);
  const takenAt = own.clock.now();
  await own.happen();
  await own.passing("the other one to have it", () => another.received.length === 1);
  expect(own.clock.now() - takenAt).toBeLessThan(15_000);
});
