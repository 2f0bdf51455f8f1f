import { describe, expect, it } from "vitest";
import type { OpenLog } from "../event-log.ts";
import { numbered, take, texts } from "./reading.ts";

export const trimBehaviour = (open: OpenLog): void => {
  describe("trim", () => {
    it("deletes the records of one partition below an offset", async () => {
      const { log } = await open({ partitions: { readings: 2 } });
      await log.append("readings", [...numbered("a", 300, 0), ...numbered("b", 5, 1)]);
      await log.trim("readings", 0, 290);
      expect(await log.bounds("readings")).toEqual([
        { partition: 0, earliest: 290, end: 300 },
        { partition: 1, earliest: 0, end: 5 },
      ]);
      expect(texts(await take(log, "readings", 1))).toEqual(["a290"]);
    });

    it("does nothing below what is kept, and stops at the end", async () => {
      const { log } = await open();
      await log.append("readings", numbered("a", 4));
      await log.trim("readings", 0, 2);
      await log.trim("readings", 0, 1);
      expect(await log.bounds("readings")).toEqual([{ partition: 0, earliest: 2, end: 4 }]);
      await log.trim("readings", 0, 4);
      expect(await log.bounds("readings")).toEqual([{ partition: 0, earliest: 4, end: 4 }]);
    });

    it("uses no offset twice after everything was deleted, restarts included, and lets time not fall", async () => {
      const { log, reopen } = await open();
      const before = await log.append("readings", numbered("a", 3));
      await log.trim("readings", 0, 3);
      const again = await reopen();
      expect(await again.bounds("readings")).toEqual([{ partition: 0, earliest: 3, end: 3 }]);
      const [after] = await again.append("readings", numbered("b", 1));
      expect(after?.offset).toBe(3);
      expect(after?.appendedAt).toBeGreaterThanOrEqual(before.at(-1)?.appendedAt ?? Number.NaN);
      expect(texts(await take(again, "readings", 1))).toEqual(["b0"]);
    });

    it("goes on beside appends and a tail that is far behind", async () => {
      const { log } = await open();
      await log.append("readings", numbered("a", 1_500));
      const ending = new AbortController();
      const offsets: number[] = [];
      let batches = 0;
      for await (const batch of log.tail("readings", { from: 0, signal: ending.signal })) {
        offsets.push(...batch.map(({ offset }) => offset));
        if (batches++ === 0) {
          await Promise.all([log.trim("readings", 0, 1_400), log.append("readings", numbered("b", 10))]);
        }
        if (offsets.at(-1) === 1_509) break;
      }
      expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
      expect(offsets.slice(-110)).toEqual(Array.from({ length: 110 }, (_, i) => 1_400 + i));
    });
  });
};
