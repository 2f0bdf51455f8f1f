import { describe, expect, it } from "vitest";
import type { NewDatabase } from "../control-store.ts";

export const locksSuite = (newDatabase: NewDatabase): void => {
  describe("locks", () => {
    it("gives a name to one of several at once, and to the next when it is released", async () => {
      const [one, two] = await (await newDatabase()).openTwo();
      const held = await Promise.all([one, two, one].map(({ locks }) => locks.tryLock("relay")));
      expect(held.filter((lock) => lock !== null)).toHaveLength(1);
      const first = held.find((lock) => lock !== null);
      expect(first?.lost.aborted).toBe(false);
      await first?.release();
      const next = await two.locks.tryLock("relay");
      expect(next).not.toBeNull();
      await first?.release();
      expect(await one.locks.tryLock("relay")).toBeNull();
    });

    it("keeps names apart, and installations", async () => {
      const { locks } = await (await newDatabase()).open();
      const other = await (await newDatabase()).open();
      expect(await locks.tryLock("relay")).not.toBeNull();
      expect(await locks.tryLock("start")).not.toBeNull();
      expect(await other.locks.tryLock("relay")).not.toBeNull();
    });

    it("lets go of every name when it is closed", async () => {
      const database = await newDatabase();
      const first = await database.open();
      const lock = await first.locks.tryLock("relay");
      await first.close();
      await lock?.release();
      const second = await database.open();
      await expect.poll(() => second.locks.tryLock("relay")).not.toBeNull();
    });
  });
};
