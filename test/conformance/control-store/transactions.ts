import { describe, expect, it } from "vitest";
import { ManualClock } from "../../support/clock.ts";
import type { NewDatabase } from "../control-store.ts";
import { aRule, aSignal, aSource, MINE, OTHERS, succeeded } from "./examples.ts";

const print = (text: string): Uint8Array => new TextEncoder().encode(text);

export const transactionsSuite = (newDatabase: NewDatabase): void => {
  describe("transactions", () => {
    it("does all or nothing, outbox included", async () => {
      const store = await (await newDatabase()).open();
      const half = store.transaction(async ({ signals }) => {
        succeeded(await signals.create(MINE, aSignal()));
        throw new Error("half way");
      });
      await expect(half).rejects.toThrow("half way");
      expect((await store.signals.all(null, 10)).length).toBe(0);
      expect(await store.outbox.read(0, 10)).toEqual([]);
      await store.transaction(async ({ signals, rules }) => {
        succeeded(await signals.create(MINE, aSignal()));
        succeeded(await rules.create(MINE, aRule()));
      });
      expect(await store.outbox.read(0, 10)).toHaveLength(2);
    });

    it("goes on after a change in it that was refused, which changed nothing", async () => {
      const store = await (await newDatabase()).open();
      const one = succeeded(await store.signals.create(MINE, aSignal({ externalId: "one" }))).definition;
      const two = succeeded(await store.signals.create(MINE, aSignal({ externalId: "two" }))).definition;
      const answers = await store.transaction(async ({ signals }) => [
        await signals.create(MINE, aSignal({ externalId: "one" })),
        await signals.update(MINE, two.id, { externalId: "one", name: "other" }),
        await signals.update(MINE, one.id, { name: "renamed" }),
      ]);
      expect(answers.map(({ ok }) => ok)).toEqual([false, false, true]);
      const names = (await store.signals.all(null, 10)).map(({ definition }) => definition.name);
      expect(names).toEqual(["renamed", two.name]);
    });
  });

  describe("a change that expects a revision", () => {
    it("is made on that one alone, of signals, sources and rules", async () => {
      const { signals, sources, rules } = await (await newDatabase()).open();
      const signal = succeeded(await signals.create(MINE, aSignal())).definition;
      const source = succeeded(await sources.create(MINE, aSource()));
      const { rule } = succeeded(await rules.create(MINE, aRule()));
      const name = "other";
      const refused = { ok: false, reason: "precondition_failed", revision: 1 };
      expect(await signals.update(MINE, signal.id, { name }, [2])).toEqual(refused);
      expect(await sources.update(MINE, source.id, { name }, [])).toEqual(refused);
      expect(await rules.update(MINE, rule.id, { name }, [7])).toEqual(refused);
      expect(await signals.remove(MINE, signal.id, [2])).toEqual(refused);
      expect(await sources.remove(MINE, source.id, [2])).toEqual(refused);
      expect(await rules.remove(MINE, rule.id, [2])).toEqual(refused);
      expect(await rules.remove(OTHERS, rule.id, [1])).toMatchObject({ reason: "not_found" });
      succeeded(await signals.update(MINE, signal.id, { name }, [9, 1]));
      succeeded(await sources.update(MINE, source.id, { name }, [1]));
      succeeded(await rules.update(MINE, rule.id, { name }, [1]));
      succeeded(await signals.remove(MINE, signal.id, [2]));
      succeeded(await sources.remove(MINE, source.id, [2]));
      succeeded(await rules.remove(MINE, rule.id, [2]));
    });
  });

  describe("requests that may be sent again", () => {
    it("are done by one of many at once, and answered alike afterwards, by every process and to each account its own", async () => {
      const [one, two] = await (await newDatabase()).openTwo();
      const claims = await Promise.all(
        [one, two, one, two].map(({ idempotency }) => idempotency.claim(MINE, "k", print("a"))),
      );
      const claimed = claims.flatMap((claim) => (claim.state === "claimed" ? [claim.claim] : []));
      expect(claimed).toHaveLength(1);
      expect(claims.filter(({ state }) => state === "running")).toHaveLength(3);
      const [mine] = claimed;
      if (mine === undefined) throw new Error("nobody has it");
      expect(await two.idempotency.finish(mine, "the answer")).toBe(true);
      expect(await one.idempotency.finish(mine, "another")).toBe(false);
      const again = await two.idempotency.claim(MINE, "k", print("a"));
      expect(again).toEqual({ state: "finished", result: "the answer" });
      expect(await one.idempotency.claim(MINE, "k", print("b"))).toEqual({ state: "mismatch" });
      expect(await one.idempotency.claim(OTHERS, "k", print("b"))).toMatchObject({ state: "claimed" });
    });

    it("are free again when they were let go of, when their lease ends, and after a day", async () => {
      const clock = new ManualClock();
      const database = await newDatabase();
      const { idempotency } = await database.open({ clock });
      const claim = async () => {
        const found = await idempotency.claim(MINE, "k", print("a"));
        return found.state === "claimed" ? found.claim : null;
      };
      const first = await claim();
      if (first === null) throw new Error("it is not free");
      await idempotency.release(first);
      const second = await claim();
      expect(second).not.toBeNull();
      clock.advance(59_999);
      expect(await claim()).toBeNull();
      clock.advance(1);
      const third = await claim();
      if (second === null || third === null) throw new Error("its lease has not ended");
      expect(await idempotency.finish(second, "late")).toBe(false);
      expect(await idempotency.finish(third, "secret answer")).toBe(true);
      expect((await database.bytes()).includes("secret answer")).toBe(false);
      clock.advance(24 * 3_600_000);
      expect(await claim()).not.toBeNull();
    });

    it("may go on at once when they were suspended, with the same request alone", async () => {
      const { idempotency } = await (await newDatabase()).open();
      const first = await idempotency.claim(MINE, "k", print("a"));
      if (first.state !== "claimed") throw new Error("it is not free");
      await idempotency.suspend(first.claim);
      expect(await idempotency.claim(MINE, "k", print("b"))).toEqual({ state: "mismatch" });
      const second = await idempotency.claim(MINE, "k", print("a"));
      if (second.state !== "claimed") throw new Error("it is not free");
      await idempotency.suspend(first.claim);
      expect(await idempotency.claim(MINE, "k", print("a"))).toMatchObject({ state: "running" });
      expect(await idempotency.finish(second.claim, "done")).toBe(true);
    });
  });
};
