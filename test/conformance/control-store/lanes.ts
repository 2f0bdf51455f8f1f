import { describe, expect, it } from "vitest";
import { SignalServiceEvent } from "../../../schemas/event.ts";
import { CLOSED } from "../../../src/domain/webhooks/circuit.ts";
import type { ControlStore } from "../../../src/ports/control-store.ts";
import type { Lane } from "../../../src/ports/webhooks.ts";
import { ManualClock } from "../../support/clock.ts";
import type { NewDatabase } from "../control-store.ts";
import { aDelivery, anAttempt, aWebhook, MINE, succeeded } from "./examples.ts";

const LEASE_MS = 15_000;
const BAD = { failuresInRow: 3, failingSinceMs: 1_000, openUntilMs: 2_000 };

const webhooksOf = async ({ webhooks }: ControlStore, count: number) => {
  const ids = [];
  for (let i = 0; i < count; i++) ids.push(succeeded(await webhooks.create(MINE, aWebhook())).id);
  return ids.toSorted();
};
const oneOf = ([lane]: readonly Lane[]): Lane => {
  if (lane === undefined) throw new Error("no lane");
  return lane;
};

export const lanesSuite = (newDatabase: NewDatabase): void => {
  describe("lanes", () => {
    it("are held by one at a time, taken over when a lease has ended, each time under a higher fence", async () => {
      const clock = new ManualClock();
      const [one, two] = await (await newDatabase()).openTwo();
      const store = await (await newDatabase()).open({ clock });
      const ids = await webhooksOf(one, 4);
      const taken = await Promise.all([one.lanes.take("a", 3, LEASE_MS), two.lanes.take("b", 3, LEASE_MS)]);
      const rest = [await one.lanes.take("a", 3, LEASE_MS), await two.lanes.take("b", 3, LEASE_MS)];
      const all = [...taken, ...rest].flat().map(({ webhookId }) => webhookId);
      expect(all.toSorted()).toEqual(ids);

      await webhooksOf(store, 1);
      const first = oneOf(await store.lanes.take("a", 9, LEASE_MS));
      clock.advance(LEASE_MS - 1);
      expect(await store.lanes.take("b", 9, LEASE_MS)).toEqual([]);
      clock.advance(1);
      const second = oneOf(await store.lanes.take("b", 9, LEASE_MS));
      expect(second).toMatchObject({ webhookId: first.webhookId, circuit: CLOSED });
      expect(second.fence).toBeGreaterThan(first.fence);
      expect(await store.lanes.renew("a", LEASE_MS)).toEqual(new Map());
    });

    it("are kept while they are renewed, and free as soon as they are let go of", async () => {
      const clock = new ManualClock();
      const store = await (await newDatabase()).open({ clock });
      const [a, b] = await webhooksOf(store, 2);
      if (a === undefined || b === undefined) throw new Error("two");
      const held = await store.lanes.take("a", 9, LEASE_MS);
      clock.advance(LEASE_MS - 1);
      const fences = new Map(held.map(({ webhookId, fence }) => [webhookId, fence]));
      expect(await store.lanes.renew("a", LEASE_MS)).toEqual(fences);
      clock.advance(LEASE_MS - 1);
      expect(await store.lanes.take("b", 9, LEASE_MS)).toEqual([]);
      await store.lanes.release("a", [a]);
      expect(oneOf(await store.lanes.take("b", 9, LEASE_MS)).webhookId).toBe(a);
      await store.lanes.release("a");
      expect(await store.lanes.census("b")).toEqual({ lanes: 2, others: 0 });
      expect(oneOf(await store.lanes.take("b", 9, LEASE_MS)).webhookId).toBe(b);
    });

    it("count who asked of late, whether there was a lane to take or not", async () => {
      const clock = new ManualClock();
      const store = await (await newDatabase()).open({ clock });
      await webhooksOf(store, 2);
      await store.lanes.take("a", 9, LEASE_MS);
      clock.advance(4_000);
      await store.lanes.take("b", 9, LEASE_MS);
      expect(await store.lanes.census("a")).toEqual({ lanes: 2, others: 1 });
      expect(await store.lanes.census("c")).toEqual({ lanes: 2, others: 2 });
      clock.advance(5_000);
      await store.lanes.renew("b", LEASE_MS);
      clock.advance(5_000);
      // Dead, though its leases hold: when they end, nobody leaves it a share.
      expect(await store.lanes.census("b")).toEqual({ lanes: 2, others: 0 });
      expect(await store.lanes.take("b", 9, LEASE_MS)).toEqual([]);
    });

    it("are disabled or enabled in the end, and never half of each, where service and owner race", async () => {
      const [one, two] = await (await newDatabase()).openTwo();
      const ids = await webhooksOf(one, 12);
      const lanes = await one.lanes.take("a", 99, LEASE_MS);
      const patches = [{ enabled: true }, { enabled: false }, { url: "https://b.example/" }] as const;
      await Promise.all([
        ...lanes.map((lane) => one.lanes.save([{ ...lane, attempts: [], disable: "Gone." }])),
        ...lanes.flatMap(({ webhookId }, i) => {
          const patch = patches[i % patches.length] ?? {};
          return [1, 2, 3].map(() => two.webhooks.update(MINE, webhookId, patch));
        }),
      ]);
      const noticed = (await one.webhooks.notices(99)).map(({ event }) => event.data.webhook?.id);
      const takeable = new Set((await two.lanes.take("b", 99, 1)).map(({ webhookId }) => webhookId));
      for (const [i, id] of ids.entries()) {
        const shown = (await one.webhooks.get(MINE, id))?.webhook;
        const { enabled } = shown?.settings ?? {};
        expect([i % 3, takeable.has(id)]).toEqual([i % 3, enabled]);
        // Its owner's word comes last only where it changed something after the service's.
        if (enabled) expect(shown?.disabledReason).toBeNull();
        expect(noticed.filter((other) => other === id).length).toBeLessThanOrEqual(1);
        if (shown?.disabledReason === "Gone.") expect(noticed).toContain(id);
      }
    });

    it("take what came of attempts from their holder, and from nobody who was", async () => {
      const clock = new ManualClock();
      const store = await (await newDatabase()).open({ clock });
      const [id] = await webhooksOf(store, 1);
      if (id === undefined) throw new Error("none");
      const [delivery] = await store.deliveries.add([aDelivery(id, 0)]);
      if (delivery === undefined) throw new Error("none");
      const zombie = oneOf(await store.lanes.take("a", 9, LEASE_MS));
      clock.advance(LEASE_MS);
      const holder = oneOf(await store.lanes.take("b", 9, LEASE_MS));
      const progress = { webhookId: id, circuit: BAD, attempts: [anAttempt(delivery)], disable: null };
      expect(await store.lanes.save([{ ...progress, fence: zombie.fence }])).toEqual(new Set([id]));
      expect(await store.deliveries.get(MINE, id, delivery)).toMatchObject({
        status: "pending",
        attempts: [],
      });
      expect(await store.lanes.save([{ ...progress, fence: holder.fence }])).toEqual(new Set());
      const saved = await store.deliveries.get(MINE, id, delivery);
      expect(saved).toMatchObject({ status: "delivered", attempts: [{ number: 1, responseStatus: 200 }] });
      expect((await store.webhooks.get(MINE, id))?.circuit).toEqual(BAD);
      // When the answer to the first time was lost on its way.
      expect(await store.lanes.save([{ ...progress, fence: holder.fence }])).toEqual(new Set());
      expect(await store.deliveries.get(MINE, id, delivery)).toEqual(saved);
    });

    it("disable a webhook for good, with the reason, and send it nothing more", async () => {
      const store = await (await newDatabase()).open();
      const [id] = await webhooksOf(store, 1);
      if (id === undefined) throw new Error("none");
      const ids = [...(await store.deliveries.add([aDelivery(id, 0), aDelivery(id, 1)]))];
      const [first, second] = ids;
      if (first === undefined || second === undefined) throw new Error("two");
      const lane = oneOf(await store.lanes.take("a", 9, LEASE_MS));
      const gone = { ...anAttempt(first), status: 410, becomes: "failed" as const };
      const changes = await store.webhooks.changes();
      await store.lanes.save([{ ...lane, circuit: BAD, attempts: [gone], disable: "The endpoint is gone." }]);
      const shown = await store.webhooks.get(MINE, id);
      expect(shown?.webhook).toMatchObject({
        revision: 2,
        settings: { enabled: false },
        disabledReason: "The endpoint is gone.",
      });
      expect(await store.deliveries.get(MINE, id, first)).toMatchObject({ status: "failed" });
      expect(await store.deliveries.get(MINE, id, second)).toMatchObject({ status: "discarded" });
      expect(await store.webhooks.changes()).toBeGreaterThan(changes);
      const enabled = succeeded(await store.webhooks.update(MINE, id, { enabled: true }));
      expect(enabled.disabledReason).toBeNull();
      expect((await store.webhooks.get(MINE, id))?.circuit).toEqual(CLOSED);
    });

    it("keep in mind that an account is to be told of a webhook that was disabled, until it was told", async () => {
      const store = await (await newDatabase()).open();
      const [id] = await webhooksOf(store, 1);
      const lane = oneOf(await store.lanes.take("a", 9, LEASE_MS));
      const end = { ...lane, attempts: [], disable: "Gone." };
      // Of who held the lane before, nothing is taken, so that there is nothing to tell.
      await store.lanes.save([{ ...end, fence: lane.fence - 1 }]);
      expect(await store.webhooks.notices(10)).toEqual([]);
      await store.lanes.save([end]);
      const notices = await store.webhooks.notices(10);
      const data = { webhook: { id, name: null, reason: "Gone." } };
      const event = { event: "webhook.disabled", sequence: null, data };
      expect(notices).toMatchObject([{ accountId: MINE, signalId: null, event }]);
      expect(SignalServiceEvent.parse(notices[0]?.event)).toEqual(notices[0]?.event);
      await store.webhooks.told(notices.map((notice) => notice.event.id));
      expect(await store.webhooks.notices(10)).toEqual([]);
    });
  });
};
