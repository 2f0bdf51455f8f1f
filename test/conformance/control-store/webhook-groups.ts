import { describe, expect, it } from "vitest";
import { EventId, SignalId, SourceId, type WebhookId } from "../../../schemas/common.ts";
import { deliveryIdOf } from "../../../src/domain/webhooks/delivery-id.ts";
import { type GroupMember, newGroup, type SignalGroup } from "../../../src/domain/webhooks/group.ts";
import type { ControlStore } from "../../../src/ports/control-store.ts";
import type { ChangedGroup } from "../../../src/ports/webhook-groups.ts";
import type { NewDelivery } from "../../../src/ports/webhooks.ts";
import type { NewDatabase } from "../control-store.ts";
import { aDelivery, aSource, aWebhook, fixedUlid, MINE, SOURCE, succeeded } from "./examples.ts";

const SETTINGS = { waitSeconds: 10, intervalSeconds: 300, minSignals: 2 };
const EVENT = EventId.parse(`evt_${fixedUlid(7)}`);
const OTHER_SOURCE = SourceId.parse(`src_${fixedUlid(4)}`);

const aGroup = (webhookId: WebhookId, fields: Partial<SignalGroup> = {}): SignalGroup => ({
  ...newGroup({ webhookId, accountId: MINE, sourceId: SOURCE }, EVENT, SETTINGS, 1_000),
  ...fields,
});
const aMember = (n: number, fields: Partial<GroupMember> = {}): GroupMember => ({
  signalId: SignalId.parse(`sig_${fixedUlid(n)}`),
  name: `signal ${n} ü`,
  externalId: n % 2 === 0 ? null : `x-${n}`,
  open: ["signal"],
  news: "failed",
  severity: null,
  eventId: EVENT,
  since: 900 + n,
  sequence: n,
  ...fields,
});
const changed = (group: SignalGroup, ...members: GroupMember[]): ChangedGroup => ({
  group,
  members,
  held: [],
});

export const webhookGroupsSuite = (newDatabase: NewDatabase): void => {
  const opened = async (options = {}) => (await newDatabase()).open(options);
  const withWebhook = async (store: ControlStore) =>
    succeeded(await store.webhooks.create(MINE, aWebhook({ groups: {} }))).id;
  /** Deliveries that a group holds; of the odd ones its notification tells the same. */
  const holding = async (store: ControlStore, group: SignalGroup, count: number) => {
    const held = Array.from(
      { length: count },
      (_, n): NewDelivery => ({ ...aDelivery(group.webhookId, n), status: "held" }),
    );
    const ids = held.map(({ webhookId, event }) => deliveryIdOf(webhookId, event.id));
    await store.transaction(async ({ deliveries, webhookGroups }) => {
      await webhookGroups.lock();
      await deliveries.add(held);
      const some = ids.map((deliveryId, n) => ({ deliveryId, isTold: n % 2 === 1 }));
      await webhookGroups.save([{ group, members: [], held: some }]);
    });
    return ids;
  };
  const statuses = async (store: ControlStore, id: WebhookId) =>
    (await store.deliveries.list(MINE, id, { limit: 100 }))?.items.map(({ status }) => status).toReversed();

  describe("groups of webhooks", () => {
    it("are found as they were saved, with the members that are asked for", async () => {
      const store = await opened();
      const [id, other] = [await withWebhook(store), await withWebhook(store)];
      const group = aGroup(id);
      await store.webhookGroups.save([changed(group, aMember(1), aMember(2)), changed(aGroup(other))]);
      const asked = [aMember(2).signalId, aMember(3).signalId];
      expect(await store.webhookGroups.load([id], [SOURCE, OTHER_SOURCE], asked)).toEqual([
        { group, members: [aMember(2)] },
      ]);
      expect(await store.webhookGroups.load([id], [OTHER_SOURCE], asked)).toEqual([]);
      expect(await store.webhookGroups.counts([id, other])).toEqual(
        new Map([
          [id, 1],
          [other, 1],
        ]),
      );
      const later = aGroup(id, { dueAt: null, isFormed: true, signals: 2, told: 3, position: 77 });
      const worse = aMember(1, { open: ["signal", "alr_x"], severity: "critical", news: null, sequence: 9 });
      await store.webhookGroups.save([changed(later, worse)]);
      expect(await store.webhookGroups.load([id], [SOURCE], [worse.signalId])).toEqual([
        { group: later, members: [worse] },
      ]);
    });

    it("are due by their time, the longest due first, and not at all without one", async () => {
      const store = await opened();
      const ids = [await withWebhook(store), await withWebhook(store), await withWebhook(store)];
      const groups = ids.map((id, n) => aGroup(id, { dueAt: n === 2 ? null : 9_000 - n * 1_000 }));
      await store.webhookGroups.save(groups.map((group) => changed(group)));
      expect(await store.webhookGroups.due(7_999, 10)).toEqual([]);
      expect(await store.webhookGroups.due(9_000, 10)).toEqual([groups[1], groups[0]]);
      expect(await store.webhookGroups.due(9_000, 1)).toEqual([groups[1]]);
    });

    it("list what is new first, count it, and forget it once it is told", async () => {
      const store = await opened();
      const source = succeeded(await store.sources.create(MINE, aSource({ name: "gateway ü" })));
      const group = aGroup(await withWebhook(store), { sourceId: source.id });
      const [told, recovered, failed] = [
        aMember(1, { news: null }),
        aMember(2, { news: "recovered", open: [] }),
        aMember(3),
      ];
      const both = aMember(4, { open: [] });
      await store.webhookGroups.save([changed(group, told, recovered, failed, both)]);
      const content = await store.webhookGroups.content(group, 10);
      expect(content).toEqual({
        sourceName: "gateway ü",
        news: { failed: 2, recovered: 2 },
        members: [failed, recovered, both, told],
      });
      expect((await store.webhookGroups.content(group, 1)).members).toEqual([failed]);
      const after = { ...group, told: 1, dueAt: null };
      await store.webhookGroups.told(after);
      const { sourceName, ...rest } = await store.webhookGroups.content(after, 10);
      expect(rest).toEqual({ news: { failed: 0, recovered: 0 }, members: [told, { ...failed, news: null }] });
      expect(sourceName).toBe("gateway ü");
      succeeded(await store.sources.remove(MINE, source.id));
      expect((await store.webhookGroups.content(after, 10)).sourceName).toBeNull();
    });

    it("hold deliveries, which nobody sends, until they are settled one way or the other", async () => {
      const store = await opened();
      const [one, two] = [aGroup(await withWebhook(store)), aGroup(await withWebhook(store))];
      await holding(store, one, 4);
      await holding(store, two, 4);
      expect(await store.deliveries.first(one.webhookId, -1, 10)).toEqual([]);
      expect(await store.deliveries.waiting()).toEqual(new Map());
      expect(await store.webhookGroups.settle(one.id, "by the group")).toBe(0);
      expect(await statuses(store, one.webhookId)).toEqual(["pending", "grouped", "pending", "grouped"]);
      expect(await store.webhookGroups.settle(two.id, "by none")).toBe(0);
      expect(await statuses(store, two.webhookId)).toEqual(["pending", "pending", "pending", "pending"]);
      expect(await store.webhookGroups.settle(two.id, "by none")).toBeNull();
      expect(await store.deliveries.waiting()).toEqual(
        new Map([
          [one.webhookId, 0],
          [two.webhookId, 0],
        ]),
      );
    });

    it("leave a delivery alone that was sent again by hand, and go with their webhook", async () => {
      const store = await opened();
      const group = aGroup(await withWebhook(store));
      const [first] = await holding(store, group, 2);
      if (first === undefined) throw new Error("none");
      await store.deliveries.resend(MINE, group.webhookId, first);
      expect(await store.webhookGroups.settle(group.id, "by none")).toBe(1);
      expect((await store.deliveries.get(MINE, group.webhookId, first))?.nextAttemptAt).not.toBeNull();
      succeeded(await store.webhooks.remove(MINE, group.webhookId));
      expect(await store.webhookGroups.due(99_999, 10)).toEqual([]);
      await store.webhookGroups.save([changed(group, aMember(1))]);
      expect(await store.webhookGroups.load([group.webhookId], [SOURCE], [])).toEqual([]);
    });

    it("end when their webhook is disabled, with what they held, and are due when it wants none", async () => {
      const store = await opened();
      const [one, two] = [
        aGroup(await withWebhook(store)),
        aGroup(await withWebhook(store), { dueAt: null }),
      ];
      await holding(store, one, 2);
      await holding(store, two, 2);
      await store.webhooks.update(MINE, one.webhookId, { enabled: false });
      expect(await statuses(store, one.webhookId)).toEqual(["discarded", "discarded"]);
      await store.webhooks.update(MINE, two.webhookId, { groups: null });
      expect(await store.webhookGroups.due(Number.MAX_SAFE_INTEGER, 10)).toMatchObject([{ id: two.id }]);
    });

    it("are asked for in settings that go together", async () => {
      const { webhooks } = await opened();
      const refused = await webhooks.create(MINE, aWebhook({ events: ["signal.created"], groups: {} }));
      expect(refused).toMatchObject({ ok: false, reason: "invalid", path: "groups" });
      const alone = await webhooks.create(MINE, aWebhook({ events: ["source.degraded"] }));
      expect(alone).toMatchObject({ ok: false, reason: "invalid", path: "events" });
      const { id } = succeeded(await webhooks.create(MINE, aWebhook({ groups: { waitSeconds: 5 } })));
      expect((await webhooks.get(MINE, id))?.webhook.settings.groups).toEqual({
        ...SETTINGS,
        waitSeconds: 5,
      });
      const changed = await webhooks.update(MINE, id, { events: ["signal.deleted"] });
      expect(changed).toMatchObject({ ok: false, reason: "invalid", path: "groups" });
    });

    it("are changed by one at a time", async () => {
      const database = await newDatabase();
      const [one, two] = await database.openTwo();
      const group = aGroup(await withWebhook(one), { told: 0 });
      await one.webhookGroups.save([changed(group)]);
      const more = (store: ControlStore) =>
        store.transaction(async ({ webhookGroups }) => {
          await webhookGroups.lock();
          const [found] = await webhookGroups.load([group.webhookId], [SOURCE], []);
          if (found === undefined) throw new Error("no group");
          await webhookGroups.save([changed({ ...found.group, told: found.group.told + 1 })]);
        });
      await Promise.all(Array.from({ length: 20 }, (_, n) => more(n % 2 === 0 ? one : two)));
      expect((await one.webhookGroups.load([group.webhookId], [SOURCE], []))[0]?.group.told).toBe(20);
    });
  });
};
