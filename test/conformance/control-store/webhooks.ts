import { describe, expect, it } from "vitest";
import type { WebhookId } from "../../../schemas/common.ts";
import { WebhookSecret } from "../../../schemas/webhook.ts";
import { CLOSED } from "../../../src/domain/webhooks/circuit.ts";
import type { ControlStore } from "../../../src/ports/control-store.ts";
import { ManualClock } from "../../support/clock.ts";
import type { NewDatabase } from "../control-store.ts";
import { aDelivery, anAttempt, aWebhook, MINE, OTHERS, succeeded } from "./examples.ts";

const NOT_FOUND = { ok: false, reason: "not_found" };
const DAY_MS = 86_400_000;

const statuses = async ({ deliveries }: ControlStore, id: WebhookId) =>
  (await deliveries.list(MINE, id, { limit: 100 }))?.items.map(({ status }) => status);

export const webhooksSuite = (newDatabase: NewDatabase): void => {
  const opened = async (options = {}) => (await newDatabase()).open(options);

  describe("webhooks", () => {
    it("give back what was created, with a secret of their own, and what became of them", async () => {
      const clock = new ManualClock();
      const { webhooks } = await opened({ clock });
      const input = aWebhook({ filter: { labels: { site: "a" } }, ratePerSecond: 5 });
      const created = succeeded(await webhooks.create(MINE, input));
      expect(created).toMatchObject({ accountId: MINE, revision: 1, settings: input, disabledReason: null });
      expect(WebhookSecret.parse(created.secrets.secret)).toBe(created.secrets.secret);
      expect(created.secrets).toMatchObject({ previous: null, previousValidUntil: null });
      expect(await webhooks.get(MINE, created.id)).toEqual({ webhook: created, circuit: CLOSED });
      clock.advance(5);
      const updated = succeeded(await webhooks.update(MINE, created.id, { url: "https://b.example/" }));
      expect(updated).toEqual({
        ...created,
        revision: 2,
        settings: { ...input, url: "https://b.example/" },
        updatedAt: created.updatedAt + 5,
      });
      expect(await webhooks.update(MINE, created.id, { url: "https://b.example/" })).toEqual({
        ok: true,
        value: updated,
        outbox: 0,
      });
      const refused = await webhooks.update(MINE, created.id, { name: "x" }, [1]);
      expect(refused).toEqual({ ok: false, reason: "precondition_failed", revision: 2 });
      expect(succeeded(await webhooks.remove(MINE, created.id, [2]))).toBeNull();
      expect(await webhooks.get(MINE, created.id)).toBeNull();
    });

    it("keep their secrets sealed", async () => {
      const database = await newDatabase();
      const { webhooks } = await database.open();
      const { secrets, id } = succeeded(await webhooks.create(MINE, aWebhook()));
      const rotated = succeeded(await webhooks.rotate(MINE, id, 1000));
      const bytes = await database.bytes();
      for (const { secret } of [secrets, rotated.secrets]) {
        expect(bytes.includes(secret)).toBe(false);
        expect(bytes.includes(secret.slice("whsec_".length))).toBe(false);
      }
    });

    it("get a new secret, the one before staying valid for a while", async () => {
      const clock = new ManualClock();
      const { webhooks } = await opened({ clock });
      const created = succeeded(await webhooks.create(MINE, aWebhook()));
      const { secrets, revision } = succeeded(await webhooks.rotate(MINE, created.id, DAY_MS));
      expect(secrets).toMatchObject({
        previous: created.secrets.secret,
        previousValidUntil: clock.now() + DAY_MS,
      });
      expect(secrets.secret).not.toBe(created.secrets.secret);
      expect(revision).toBe(2);
      expect(await webhooks.rotate(OTHERS, created.id, 0)).toEqual(NOT_FOUND);
    });

    it("have the secret before ended early, once and only by their account", async () => {
      const clock = new ManualClock();
      const { webhooks } = await opened({ clock });
      const { id, secrets } = succeeded(await webhooks.create(MINE, aWebhook()));
      expect(succeeded(await webhooks.endPrevious(MINE, id))).toMatchObject({ secrets, revision: 1 });
      const rotated = succeeded(await webhooks.rotate(MINE, id, DAY_MS));
      expect(await webhooks.endPrevious(OTHERS, id)).toEqual(NOT_FOUND);
      const { secret } = rotated.secrets;
      const ended = { secrets: { secret, previous: null, previousValidUntil: null }, revision: 3 };
      for (let n = 0; n < 2; n++)
        expect(succeeded(await webhooks.endPrevious(MINE, id))).toMatchObject(ended);
    });

    it("are out of another account's sight and reach, and listed in pages", async () => {
      const { webhooks } = await opened();
      const mine = [];
      for (let i = 0; i < 5; i++) mine.push(succeeded(await webhooks.create(MINE, aWebhook())).id);
      const [id] = mine;
      if (id === undefined) throw new Error("none");
      expect(await webhooks.get(OTHERS, id)).toBeNull();
      expect(await webhooks.update(OTHERS, id, { name: "x" })).toEqual(NOT_FOUND);
      expect(await webhooks.remove(OTHERS, id)).toEqual(NOT_FOUND);
      expect((await webhooks.list(OTHERS, { limit: 10 })).items).toEqual([]);
      const first = await webhooks.list(MINE, { limit: 3 });
      const second = await webhooks.list(MINE, { limit: 3, cursor: first.next ?? "" });
      const ids = [...first.items, ...second.items].map(({ webhook }) => webhook.id);
      expect(ids).toEqual(mine.toSorted());
      expect(second.next).toBeNull();
    });

    it("count every change, for those who keep them in mind", async () => {
      const { webhooks } = await opened();
      const counts = [await webhooks.changes()];
      const { id } = succeeded(await webhooks.create(MINE, aWebhook()));
      counts.push(await webhooks.changes());
      await webhooks.update(MINE, id, { enabled: false });
      counts.push(await webhooks.changes());
      await webhooks.rotate(MINE, id, 0);
      counts.push(await webhooks.changes());
      await webhooks.remove(MINE, id);
      counts.push(await webhooks.changes());
      expect(counts).toEqual([...new Set(counts)].toSorted((a, b) => a - b));
    });

    it("that the service disabled show why until they are enabled, whatever else is changed", async () => {
      const { webhooks, lanes } = await opened();
      const { id } = succeeded(await webhooks.create(MINE, aWebhook()));
      const [lane] = await lanes.take("a", 10, 1000);
      if (lane === undefined) throw new Error("none");
      await lanes.save([{ ...lane, attempts: [], disable: "gone" }]);
      const reasons = [];
      for (const patch of [{ name: "pager" }, { enabled: false }, { enabled: true }, { enabled: false }])
        reasons.push(succeeded(await webhooks.update(MINE, id, patch)).disabledReason);
      expect(reasons).toEqual(["gone", "gone", null, null]);
    });

    it("are sent nothing while they are disabled: what was pending is discarded", async () => {
      const store = await opened();
      const { webhooks, deliveries, lanes } = store;
      const { id } = succeeded(await webhooks.create(MINE, aWebhook()));
      const [lane] = await lanes.take("a", 10, 1000);
      const [sent] = await deliveries.add([aDelivery(id, 0), aDelivery(id, 1)]);
      if (lane === undefined || sent === undefined) throw new Error("none");
      succeeded(await webhooks.update(MINE, id, { enabled: false }));
      expect(await statuses(store, id)).toEqual(["discarded", "discarded"]);
      expect(await webhooks.enabled()).toEqual([]);
      // Who held the lane does not know yet.
      const late = { ...lane, attempts: [anAttempt(sent)], disable: null };
      expect(await lanes.save([late])).toEqual(new Set([id]));
      expect(await lanes.take("b", 10, 1000)).toEqual([]);
      succeeded(await webhooks.update(MINE, id, { enabled: true }));
      expect((await webhooks.enabled()).map((one) => one.id)).toEqual([id]);
      const [again] = await lanes.take("b", 10, 1000);
      expect(again?.fence).toBeGreaterThan(lane.fence);
    });
  });
};
