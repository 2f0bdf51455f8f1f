import { describe, expect, it } from "vitest";
import type { DeliveryId } from "../../../schemas/common.ts";
import { deliveryIdOf } from "../../../src/domain/webhooks/delivery-id.ts";
import type { ControlStore } from "../../../src/ports/control-store.ts";
import type { MadeAttempt } from "../../../src/ports/webhooks.ts";
import { ManualClock } from "../../support/clock.ts";
import type { NewDatabase } from "../control-store.ts";
import { aDelivery, anAttempt, aWebhook, DELIVERY_AT_MS, MINE, OTHERS, succeeded } from "./examples.ts";

const LEASE_MS = 1_000_000;

/** A webhook whose lane is held, with so many deliveries; `save` takes what came of attempts. */
const withDeliveries = async (store: ControlStore, count: number) => {
  const { id } = succeeded(await store.webhooks.create(MINE, aWebhook()));
  const events = Array.from({ length: count }, (_, n) => aDelivery(id, n));
  await store.deliveries.add(events);
  const [lane] = await store.lanes.take("a", 9, LEASE_MS);
  if (lane === undefined) throw new Error("no lane");
  const save = (attempts: readonly MadeAttempt[]) => store.lanes.save([{ ...lane, attempts, disable: null }]);
  const ids = events.map(({ event }) => deliveryIdOf(id, event.id));
  return {
    id,
    ids,
    save,
    nth: (n: number): DeliveryId => ids[n] ?? deliveryIdOf(id, aDelivery(id, n).event.id),
  };
};
const failed = (id: DeliveryId, nextAttemptAt: number | null, number = 1): MadeAttempt => ({
  ...anAttempt(id),
  number,
  status: 500,
  detail: "The endpoint failed.",
  responseBody: "oh — nö",
  becomes: nextAttemptAt === null ? "failed" : "pending",
  nextAttemptAt,
});

export const deliveriesSuite = (newDatabase: NewDatabase): void => {
  const opened = async (options = {}) => (await newDatabase()).open(options);

  describe("deliveries", () => {
    it("are made once for a webhook and an event, in whatever transaction", async () => {
      const store = await opened();
      const { id } = succeeded(await store.webhooks.create(MINE, aWebhook()));
      const other = succeeded(await store.webhooks.create(MINE, aWebhook())).id;
      const both = [aDelivery(id, 0), aDelivery(other, 0)];
      const added = await store.transaction(({ deliveries }) => deliveries.add(both));
      expect(added).toEqual(new Set(both.map(({ webhookId, event }) => deliveryIdOf(webhookId, event.id))));
      const again = await store.deliveries.add([...both, aDelivery(id, 1)]);
      expect(again).toEqual(new Set([deliveryIdOf(id, aDelivery(id, 1).event.id)]));
      const undone = store.transaction(async ({ deliveries }) => {
        await deliveries.add([aDelivery(id, 2)]);
        throw new Error("no");
      });
      await expect(undone).rejects.toThrow("no");
      expect(await store.deliveries.first(id, -1, 10)).toHaveLength(2);
    });

    it("are not made for a webhook that is gone, and go with it", async () => {
      const store = await opened();
      const { id } = succeeded(await store.webhooks.create(MINE, aWebhook()));
      const kept = succeeded(await store.webhooks.create(MINE, aWebhook())).id;
      await store.deliveries.add([aDelivery(id, 0)]);
      succeeded(await store.webhooks.remove(MINE, id));
      const added = await store.deliveries.add([aDelivery(id, 1), aDelivery(kept, 1)]);
      expect(added).toEqual(new Set([deliveryIdOf(kept, aDelivery(kept, 1).event.id)]));
      expect(await store.deliveries.first(id, -1, 10)).toEqual([]);
      expect(await store.deliveries.list(MINE, id, { limit: 10 })).toBeNull();
    });

    it("are not made for a webhook that is disabled by now: nothing of what is discarded stays pending", async () => {
      const store = await opened();
      const { id } = succeeded(await store.webhooks.create(MINE, aWebhook()));
      succeeded(await store.webhooks.update(MINE, id, { enabled: false }));
      expect(await store.deliveries.add([aDelivery(id, 0)])).toEqual(new Set());
      succeeded(await store.webhooks.update(MINE, id, { enabled: true }));
      expect(await store.deliveries.first(id, -1, 10)).toEqual([]);
    });

    it("wait for their first attempt in the order of events, each with the body to send", async () => {
      const store = await opened();
      const { id, ids } = await withDeliveries(store, 12);
      const first = await store.deliveries.first(id, -1, 5);
      expect(first.map((one) => one.id)).toEqual(ids.slice(0, 5));
      const { event } = aDelivery(id, 3);
      expect(first[3]).toEqual({
        id: ids[3],
        webhookId: id,
        eventId: event.id,
        position: 3,
        kind: event.kind,
        signalId: event.signalId,
        attempts: 0,
        attemptsOfRound: 0,
        body: event.body,
      });
      const rest = await store.deliveries.first(id, 4, 100);
      expect(rest.map(({ position }) => position)).toEqual([5, 6, 7, 8, 9, 10, 11]);
    });

    it("come with all that share a position, so that who goes on above it passes over none", async () => {
      const store = await opened();
      const { id, ids } = await withDeliveries(store, 3);
      const beside = aDelivery(id, 7);
      const added = await store.deliveries.add([{ ...beside, event: { ...beside.event, position: 1 } }]);
      const page = await store.deliveries.first(id, -1, 2);
      expect(new Set(page.map((one) => one.id))).toEqual(new Set([...ids.slice(0, 2), ...added]));
      expect((await store.deliveries.first(id, 1, 2)).map((one) => one.id)).toEqual([ids[2]]);
    });

    it("are tried again when they are due, and never among the first ones", async () => {
      const store = await opened();
      const { id, nth, save } = await withDeliveries(store, 4);
      await save([failed(nth(0), 3_000), failed(nth(1), 2_000), failed(nth(2), 9_000)]);
      expect((await store.deliveries.first(id, -1, 10)).map((one) => one.id)).toEqual([nth(3)]);
      expect(await store.deliveries.retries(id, 1_999, 10)).toEqual({ due: [], nextAt: 2_000 });
      const { due, nextAt } = await store.deliveries.retries(id, 3_000, 10);
      expect(due.map((one) => one.id)).toEqual([nth(1), nth(0)]);
      expect(due[0]).toMatchObject({ attempts: 1, attemptsOfRound: 1, position: 1 });
      expect(nextAt).toBe(9_000);
      await store.deliveries.add([{ ...aDelivery(id, 9), dueAt: 1_000 }]);
      expect((await store.deliveries.retries(id, 1_000, 10)).due).toMatchObject([
        { position: 9, attempts: 0 },
      ]);
      await save([anAttempt(nth(9))]);
      await save([{ ...anAttempt(nth(1)), number: 2 }, failed(nth(0), null, 2), failed(nth(2), null, 2)]);
      expect(await store.deliveries.retries(id, 10_000, 10)).toEqual({ due: [], nextAt: null });
    });

    it("are listed with their attempts, the newest first, by what is asked for", async () => {
      const store = await opened();
      const { id, ids, nth, save } = await withDeliveries(store, 5);
      await save([failed(nth(1), 5_000), anAttempt(nth(3))]);
      await save([failed(nth(1), null, 2)]);
      const page = await store.deliveries.list(MINE, id, { limit: 3 });
      const next = await store.deliveries.list(MINE, id, { limit: 3, cursor: page?.next ?? "" });
      const all = [...(page?.items ?? []), ...(next?.items ?? [])];
      expect(all.map((one) => one.id)).toEqual(ids.toReversed());
      const stored = await store.deliveries.get(MINE, id, nth(1));
      expect(stored).toEqual(all[3]);
      expect(stored).toMatchObject({ status: "failed", nextAttemptAt: null, createdAt: DELIVERY_AT_MS + 1 });
      expect(stored?.attempts).toEqual([
        {
          number: 1,
          at: "1970-01-01T00:00:00.001Z",
          durationMs: 1.5,
          responseStatus: 500,
          code: null,
          detail: "The endpoint failed.",
          responseBody: "oh — nö",
        },
        expect.objectContaining({ number: 2 }),
      ]);
      const idsOf = async (query: object) =>
        (await store.deliveries.list(MINE, id, { limit: 100, ...query }))?.items.map((one) => one.id);
      expect(await idsOf({ status: "delivered" })).toEqual([nth(3)]);
      expect(await idsOf({ event: ["signal.created"] })).toEqual([]);
      const iso = (ms: number) => new Date(DELIVERY_AT_MS + ms).toISOString();
      expect(await idsOf({ from: iso(1), to: iso(3) })).toEqual([nth(2), nth(1)]);
      expect(await store.deliveries.list(OTHERS, id, { limit: 10 })).toBeNull();
      expect(await store.deliveries.get(OTHERS, id, nth(1))).toBeNull();
    });

    it("know the body that was sent, for the account alone", async () => {
      const store = await opened();
      const { id } = await withDeliveries(store, 1);
      const { event } = aDelivery(id, 0);
      expect(await store.deliveries.body(MINE, id, event.id)).toBe(event.body);
      expect(await store.deliveries.body(OTHERS, id, event.id)).toBeNull();
      expect(await store.deliveries.body(MINE, id, aDelivery(id, 9).event.id)).toBeNull();
    });

    it("are sent again whatever became of them, with the whole schedule before them", async () => {
      const clock = new ManualClock();
      const store = await opened({ clock });
      const { id, nth, save } = await withDeliveries(store, 2);
      await save([failed(nth(0), null)]);
      const again = await store.deliveries.resend(MINE, id, nth(0));
      expect(again).toMatchObject({
        status: "pending",
        nextAttemptAt: clock.now(),
        attempts: [{ number: 1 }],
      });
      const { due } = await store.deliveries.retries(id, clock.now(), 10);
      expect(due).toMatchObject([{ id: nth(0), attempts: 1, attemptsOfRound: 0 }]);
      expect(await store.deliveries.resend(OTHERS, id, nth(0))).toBeNull();
      expect(await store.deliveries.resend(MINE, id, nth(7))).toBeNull();
    });

    it("are recovered since a time: those that failed or were discarded, also before any attempt", async () => {
      const clock = new ManualClock();
      const store = await opened({ clock });
      const { id, nth, save } = await withDeliveries(store, 5);
      await save([failed(nth(0), null), failed(nth(1), null), anAttempt(nth(2)), failed(nth(3), 77)]);
      await store.webhooks.update(MINE, id, { enabled: false });
      await store.webhooks.update(MINE, id, { enabled: true });
      expect(await store.deliveries.recover(id, DELIVERY_AT_MS + 1)).toBe(3);
      const { due } = await store.deliveries.retries(id, clock.now(), 10);
      expect(new Set(due.map((one) => one.id))).toEqual(new Set([nth(1), nth(3), nth(4)]));
      expect(await store.deliveries.first(id, -1, 10)).toEqual([]);
    });

    it("are forgotten with their events when they are old and finished", async () => {
      const store = await opened();
      const { id, nth, save } = await withDeliveries(store, 6);
      await save([
        anAttempt(nth(0)),
        failed(nth(1), 5),
        failed(nth(2), null),
        anAttempt(nth(3)),
        anAttempt(nth(5)),
      ]);
      const before = DELIVERY_AT_MS + 4;
      const steps = [];
      for (let step = 0; step < 4; step++) steps.push(await store.deliveries.prune(before, 2));
      // Three deliveries, and the events of them.
      expect(steps).toEqual([2, 2, 2, 0]);
      const left = await store.deliveries.list(MINE, id, { limit: 10 });
      expect(left?.items.map((one) => one.id)).toEqual([nth(5), nth(4), nth(1)]);
      expect(await store.transfer.count("webhook_event")).toBe(3);
      expect(await store.transfer.count("delivery_attempt")).toBe(2);
    });
  });
};
