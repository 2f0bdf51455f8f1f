import { describe, expect, it } from "vitest";
import { Rule } from "../../../schemas/rule.ts";
import { ManualClock } from "../../support/clock.ts";
import type { NewDatabase } from "../control-store.ts";
import { aRule, MINE, OTHERS, succeeded } from "./examples.ts";

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

    it("keeps another account's rule out of sight and out of reach", async () => {
      const { rules } = await opened();
      const { id } = succeeded(await rules.create(MINE, aRule())).rule;
      expect(await rules.get(OTHERS, id)).toBeNull();
      expect((await rules.list(OTHERS, { limit: 10 })).items).toEqual([]);
      expect(await rules.update(OTHERS, id, { enabled: false })).toEqual(NOT_FOUND);
      expect(await rules.remove(OTHERS, id)).toEqual(NOT_FOUND);
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
