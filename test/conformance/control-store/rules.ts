import { describe, expect, it } from "vitest";
import { RuleId } from "../../../schemas/common.ts";
import { Rule } from "../../../schemas/rule.ts";
import { ManualClock } from "../../support/clock.ts";
import type { NewDatabase } from "../control-store.ts";
import { aRule, fixedUlid, MINE, OTHERS, succeeded } from "./examples.ts";

const NOT_FOUND = { ok: false, reason: "not_found" };

export const rulesSuite = (newDatabase: NewDatabase): void => {
  const opened = async (options = {}) => (await newDatabase()).open(options);

  describe("rules", () => {
    it("gives back what was created and what became of it", async () => {
      const clock = new ManualClock();
      const { rules } = await opened({ clock });
      const input = aRule({ select: { labels: { site: "a" } }, forSeconds: 2.5 });
      const created = succeeded(await rules.create(MINE, input));
      expect(Rule.parse(created.rule)).toMatchObject({ ...input, createdAt: "2026-01-01T00:00:00.000Z" });
      expect(await rules.get(MINE, created.rule.id)).toEqual(created);
      clock.advance(1500);
      const updated = succeeded(await rules.update(MINE, created.rule.id, { enabled: false, select: {} }));
      const updatedAt = "2026-01-01T00:00:01.500Z";
      expect(updated).toEqual({
        accountId: MINE,
        revision: 2,
        rule: { ...created.rule, enabled: false, select: {}, updatedAt },
      });
      expect(await rules.get(MINE, created.rule.id)).toEqual(updated);
    });

    it("tells the log of every change, but not of a patch that changes nothing", async () => {
      const { rules, outbox } = await opened();
      const created = succeeded(await rules.create(MINE, aRule()));
      const { id } = created.rule;
      expect(await rules.update(MINE, id, { name: created.rule.name })).toEqual({
        ok: true,
        value: created,
        outbox: 0,
      });
      const updated = succeeded(await rules.update(MINE, id, { severity: "critical" }));
      const removed = await rules.remove(MINE, id);
      const rows = await outbox.read(0, 10);
      expect(rows.map(({ entry }) => (entry.topic === "readings" ? entry.change : null))).toEqual([
        { type: "rule", ...created },
        { type: "rule", ...updated },
        { type: "ruleDeleted", accountId: MINE, revision: 3, ruleId: id },
      ]);
      expect(removed).toEqual({ ok: true, value: null, outbox: rows.at(-1)?.position });
      expect(await rules.get(MINE, id)).toBeNull();
      expect(await rules.remove(MINE, id)).toEqual(NOT_FOUND);
    });

    it("knows what it was at a moment, beside what it is, until it is removed", async () => {
      const clock = new ManualClock();
      const { rules } = await opened({ clock });
      const [madeMs, created] = [clock.now(), succeeded(await rules.create(MINE, aRule()))];
      const { id } = created.rule;
      clock.advance(1_000);
      const second = succeeded(await rules.update(MINE, id, { name: "second" }));
      clock.advance(1_000);
      const third = succeeded(await rules.update(MINE, id, { enabled: false }));
      const at = async (afterMs: number) => rules.at(MINE, id, madeMs + afterMs);
      expect(await Promise.all([-5, 0, 999].map(at))).toEqual(Array(3).fill({ was: created, is: third }));
      expect(await Promise.all([1_000, 1_999].map(at))).toEqual(Array(2).fill({ was: second, is: third }));
      expect(await Promise.all([2_000, 9_999].map(at))).toEqual(Array(2).fill({ was: third, is: third }));
      expect(await rules.at(OTHERS, id, madeMs)).toBeNull();
      succeeded(await rules.remove(MINE, id));
      expect(await at(0)).toBeNull();
    });

    it("forgets what one that is changed again and again was long before", async () => {
      const clock = new ManualClock();
      const { rules, transfer } = await opened({ clock });
      const madeMs = clock.now();
      const { id } = succeeded(await rules.create(MINE, aRule())).rule;
      for (let n = 0; n < 105; n++) {
        clock.advance(1_000);
        succeeded(await rules.update(MINE, id, { name: `name ${n}` }));
      }
      expect((await rules.at(MINE, id, madeMs))?.was.rule.name).toBe("name 4");
      expect((await rules.at(MINE, id, madeMs + 104_500))?.was.rule.name).toBe("name 103");
      expect(await transfer.count("rule_version")).toBe(100);
    });

    it("keeps another account's rule out of sight and out of reach", async () => {
      const { rules } = await opened();
      const { id } = succeeded(await rules.create(MINE, aRule())).rule;
      expect(await rules.get(OTHERS, id)).toBeNull();
      expect((await rules.list(OTHERS, { limit: 10 })).items).toEqual([]);
      expect(await rules.update(OTHERS, id, { enabled: false })).toEqual(NOT_FOUND);
      expect(await rules.remove(OTHERS, id)).toEqual(NOT_FOUND);
    });

    it("takes no more rules of an account than it may have, also when many come at once", async () => {
      const { rules } = await opened({ maxRules: 3 });
      const made = await Promise.all(Array.from({ length: 5 }, () => rules.create(MINE, aRule())));
      expect(made.filter(({ ok }) => ok)).toHaveLength(3);
      expect(made.find(({ ok }) => !ok)).toMatchObject({
        reason: "conflict",
        message: expect.stringContaining("3"),
      });
      expect(await rules.create(OTHERS, aRule())).toMatchObject({ ok: true });
      const [first] = (await rules.list(MINE, { limit: 1 })).items;
      if (first === undefined) throw new Error("no rule");
      succeeded(await rules.remove(MINE, first.rule.id));
      expect(await rules.create(MINE, aRule())).toMatchObject({ ok: true });
      expect(await rules.create(MINE, aRule())).toMatchObject({ ok: false });
    });

    it("gives one of an earlier version what it did not know of", async () => {
      const { rules, transfer } = await opened();
      const { levels, schedule, notify, flapDetection, ...old } = succeeded(
        await rules.create(MINE, aRule()),
      ).rule;
      const id = RuleId.parse(`rul_${fixedUlid(7)}`);
      const rule = JSON.stringify({ ...old, id });
      await transfer.add("rule", [{ id, account_id: MINE, revision: 4, rule }]);
      const defaults = { levels: null, schedule: null, notify: null, flapDetection: true };
      expect([levels, schedule, notify, flapDetection]).toEqual(Object.values(defaults));
      expect(await rules.get(MINE, id)).toEqual({
        accountId: MINE,
        revision: 4,
        rule: { ...old, id, ...defaults },
      });
      expect(await rules.update(MINE, id, { enabled: old.enabled })).toMatchObject({ outbox: 0 });
    });

    it("refuses what a patch and the stored rule cannot be together", async () => {
      const { rules } = await opened();
      const { id } = succeeded(await rules.create(MINE, aRule())).rule;
      const levels = [
        { severity: "warning" as const, value: -80 },
        { severity: "critical" as const, value: -90 },
      ];
      expect(await rules.update(MINE, id, { levels })).toMatchObject({
        reason: "invalid",
        path: "condition.value",
      });
      const condition = { metric: "strength" as const, operator: "below" as const };
      expect(await rules.update(MINE, id, { levels: levels.toReversed(), condition })).toMatchObject({
        reason: "invalid",
        path: "levels.1.severity",
      });
      expect(await rules.update(MINE, id, { levels, condition })).toMatchObject({ ok: true });
      expect(await rules.update(MINE, id, { levels: null })).toMatchObject({ path: "condition.value" });
    });

    it("lists an account's in pages, and every account's at once", async () => {
      const { rules } = await opened();
      const mine = [];
      for (let i = 0; i < 5; i++) mine.push(succeeded(await rules.create(MINE, aRule())));
      const others = succeeded(await rules.create(OTHERS, aRule()));
      const first = await rules.list(MINE, { limit: 2 });
      const second = await rules.list(MINE, { limit: 3, cursor: first.next ?? "" });
      const byId = (a: typeof others, b: typeof others) => (a.rule.id < b.rule.id ? -1 : 1);
      expect([...first.items, ...second.items]).toEqual(mine.toSorted(byId));
      expect(second.next).toBeNull();
      expect(await rules.all()).toEqual([...mine, others].sort(byId));
    });
  });
};
