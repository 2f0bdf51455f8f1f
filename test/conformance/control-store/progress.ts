import { describe, expect, it } from "vitest";
import type { NewDatabase } from "../control-store.ts";

const LOG = "01JDA2V3Q8R5T7W9Y1B3D5F7H9";

export const progressSuite = (newDatabase: NewDatabase): void => {
  describe("record progress", () => {
    it("starts at zero and moves only from what it is, to the caller's knowledge", async () => {
      const database = await newDatabase();
      const store = await database.open();
      const { recordProgress } = store;
      const start = { done: 0, pendingEnd: null };
      expect(await recordProgress.read(LOG, "readings", 0)).toEqual(start);
      const pending = { done: 0, pendingEnd: 10 };
      expect(await recordProgress.advance(LOG, "readings", 0, start, pending)).toBe(true);
      expect(await recordProgress.advance(LOG, "readings", 0, start, pending)).toBe(false);
      expect(await recordProgress.advance(LOG, "readings", 0, { done: 0, pendingEnd: 9 }, start)).toBe(false);
      const done = { done: 10, pendingEnd: null };
      expect(await recordProgress.advance(LOG, "readings", 0, pending, done)).toBe(true);
      await store.close();
      expect(await (await database.open()).recordProgress.read(LOG, "readings", 0)).toEqual(done);
    });

    it("keeps logs, topics and partitions apart", async () => {
      const { recordProgress } = await (await newDatabase()).open();
      const [from, to] = [
        { done: 0, pendingEnd: null },
        { done: 2 ** 50, pendingEnd: 2 ** 50 + 1 },
      ];
      await recordProgress.read(LOG, "readings", 1);
      expect(await recordProgress.advance(LOG, "readings", 1, from, to)).toBe(true);
      expect(await recordProgress.read(LOG, "readings", 1)).toEqual(to);
      expect(await recordProgress.read(LOG, "readings", 0)).toEqual(from);
      expect(await recordProgress.read(LOG, "events", 1)).toEqual(from);
      expect(await recordProgress.read("another", "readings", 1)).toEqual(from);
    });

    it("lets one of many win each step", async () => {
      const database = await newDatabase();
      const stores = await database.openTwo();
      await stores[0]?.recordProgress.read(LOG, "readings", 0);
      for (let done = 0; done < 10; done++) {
        const tries = [...stores, ...stores].map(({ recordProgress }) =>
          recordProgress.advance(
            LOG,
            "readings",
            0,
            { done, pendingEnd: null },
            { done: done + 1, pendingEnd: null },
          ),
        );
        expect((await Promise.all(tries)).filter((won) => won)).toHaveLength(1);
      }
    });
  });
};
