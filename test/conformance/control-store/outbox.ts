import { describe, expect, it } from "vitest";
import type { NewDatabase } from "../control-store.ts";
import { aRule, aSignal, DEFAULTS, MINE, SOURCE } from "./examples.ts";

export const outboxSuite = (newDatabase: NewDatabase): void => {
  describe("the outbox", () => {
    it("gives rows in order, after a position, up to a limit", async () => {
      const { signals, outbox } = await (await newDatabase()).open();
      const positions: number[] = [];
      for (let i = 0; i < 5; i++) {
        const changed = await signals.create(MINE, aSignal());
        positions.push(changed.ok ? changed.outbox : Number.NaN);
      }
      expect(positions.every((position, i) => position > (positions[i - 1] ?? 0))).toBe(true);
      const read = async (after: number, limit: number) =>
        (await outbox.read(after, limit)).map(({ position }) => position);
      expect(await read(0, 100)).toEqual(positions);
      expect(await read(positions[1] ?? 0, 2)).toEqual(positions.slice(2, 4));
      expect(await read(positions[4] ?? 0, 2)).toEqual([]);
    });

    it("remembers how far the relay got, over a restart, and never falls back", async () => {
      const database = await newDatabase();
      const first = await database.open();
      for (let i = 0; i < 3; i++) await first.rules.create(MINE, aRule());
      const [, second, third] = await first.outbox.read(0, 10);
      expect(await first.outbox.relayed()).toBe(0);
      await first.outbox.markRelayed(second?.position ?? 0);
      await first.outbox.markRelayed(0);
      await first.close();
      const again = await database.open();
      expect(await again.outbox.relayed()).toBe(second?.position);
      expect(await again.outbox.read(0, 10)).toEqual([third]);
    });

    it("gives no position twice, also after every row was relayed", async () => {
      const database = await newDatabase();
      const store = await database.open();
      const first = await store.rules.create(MINE, aRule());
      await store.outbox.markRelayed(first.ok ? first.outbox : 0);
      await store.close();
      const second = await (await database.open()).rules.create(MINE, aRule());
      expect(second.ok && first.ok && second.outbox > first.outbox).toBe(true);
    });

    it("never shows a row below one already seen, while many write at once", async () => {
      const database = await newDatabase();
      const [one, two] = await database.openTwo();
      const defaults = DEFAULTS;
      const writes = Array.from({ length: 30 }, async (_, index) => {
        const { signals } = index % 2 === 0 ? one : two;
        if (index % 3 > 0) return signals.create(MINE, aSignal());
        const externalIds = Array.from({ length: 20 }, (_, n) => `${index}/${n}`);
        return signals.resolve({ accountId: MINE, sourceId: SOURCE, externalIds, create: true, defaults });
      });
      const seen: number[] = [];
      let writing = true;
      const done = Promise.all(writes).finally(() => {
        writing = false;
      });
      for (let last = false; !last; ) {
        last = !writing;
        const rows = await two.outbox.read(seen.at(-1) ?? 0, 7);
        seen.push(...rows.map(({ position }) => position));
        if (rows.length > 0) last = false;
        await new Promise(setImmediate);
      }
      await done;
      expect(seen).toEqual((await two.outbox.read(0, 10_000)).map(({ position }) => position));
      expect(seen).toHaveLength(20 + 10 * 20);
    });
  });
};
