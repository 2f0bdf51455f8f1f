import { describe, expect, it } from "vitest";
import { until } from "../../support/until.ts";
import type { OpenLog } from "../event-log.ts";
import { collect, numbered, texts } from "./reading.ts";

export const groupBehaviour = (open: OpenLog): void => {
  describe("consume", () => {
    it("gives one member every partition, each in order", async () => {
      const { log } = await open({ partitions: { readings: 3 } });
      for (const n of [0, 1, 2]) await log.append("readings", numbered(`${n}-`, 50, n));
      const seen = await collect(log, { group: "g", topic: "readings" });
      await until("all records", () => seen.records.length >= 150);
      for (const n of [0, 1, 2])
        expect(texts(seen.records.filter(({ partition }) => partition === n))).toEqual(
          numbered(`${n}-`, 50, n).map(({ value }) => new TextDecoder().decode(value)),
        );
      expect([...seen.assignments.keys()].toSorted()).toEqual([0, 1, 2]);
      await seen.member.stop();
    });

    it("says how many members a group has", async () => {
      const { log } = await open();
      expect(await log.members("g")).toBe(0);
      const seen = await collect(log, { group: "g", topic: "readings" });
      await until("the member to be there", async () => (await log.members("g")) === 1);
      expect(await log.members("other")).toBe(0);
      await seen.member.stop();
      await until("the member to be gone", async () => (await log.members("g")) === 0);
    });

    it("says at the assignment what is there and what was committed", async () => {
      const { log } = await open();
      await log.append("readings", numbered("a", 10));
      const first = await collect(log, { group: "g", topic: "readings" });
      const assignment = await until("the assignment", () => first.assignments.get(0));
      expect(assignment).toMatchObject({ topic: "readings", committed: null, earliest: 0, end: 10 });
      await until("the records", () => first.records.length === 10);
      await assignment.commit(7);
      await first.member.stop();

      const second = await collect(log, { group: "g", topic: "readings" });
      await until("the rest", () => second.records.length >= 3);
      expect(second.assignments.get(0)?.committed).toBe(7);
      expect(second.records.map(({ offset }) => offset)).toEqual([7, 8, 9]);
      await second.member.stop();
    });

    it("says of a partition that it is held, until it is taken away", async () => {
      const { log } = await open();
      const seen = await collect(log, { group: "g", topic: "readings" });
      const assignment = await until("the assignment", () => seen.assignments.get(0));
      expect(assignment.isHeld()).toBe(true);
      await seen.member.stop();
      expect(assignment.isHeld()).toBe(false);
    });

    it("keeps what a group committed over a restart, apart from other groups, and never lets it fall", async () => {
      const { log, reopen } = await open();
      await log.append("readings", numbered("a", 10));
      const seen = await collect(log, { group: "g", topic: "readings" });
      const assignment = await until("the assignment", () => seen.assignments.get(0));
      await Promise.all([assignment.commit(4), assignment.commit(8), assignment.commit(5)]);
      await assignment.commit(3);
      await seen.member.stop();
      expect(await log.committed("g", "readings")).toEqual(new Map([[0, 8]]));
      const again = await reopen();
      expect(await again.committed("g", "readings")).toEqual(new Map([[0, 8]]));
      expect(await again.committed("other", "readings")).toEqual(new Map());
    });

    it("hands on records that are appended while it waits at the end", async () => {
      const { log } = await open();
      const seen = await collect(log, { group: "g", topic: "readings" });
      await until("the assignment", () => seen.assignments.size === 1);
      for (let i = 0; i < 5; i++) {
        await log.append("readings", numbered(`${i}.`, 1));
        await until("the record", () => seen.records.length === i + 1);
      }
      expect(texts(seen.records)).toEqual(["0.0", "1.0", "2.0", "3.0", "4.0"]);
      await seen.member.stop();
    });

    it("closes a batch at the limit of records, and at the limit of bytes", async () => {
      const { log } = await open();
      const value = new Uint8Array(1_000);
      await log.append(
        "readings",
        Array.from({ length: 20 }, () => ({ value })),
      );
      const sizes = async (limits: { batchBytes?: number; batchRecords?: number }) => {
        const counts: number[] = [];
        const group = JSON.stringify(limits).replace(/\W+/g, "-");
        const seen = await collect(log, { group, topic: "readings", ...limits }, async (batch) => {
          counts.push(batch.length);
        });
        await until("all records", () => seen.records.length === 20);
        await seen.member.stop();
        return Math.max(...counts);
      };
      expect(await sizes({ batchRecords: 7 })).toBeLessThanOrEqual(7);
      expect(await sizes({ batchBytes: 5_000 })).toBeLessThanOrEqual(5);
      expect(await sizes({ batchBytes: 10 })).toBe(1);
    });

    it("gives the next batch of a partition only when the last is done, and lets no partition wait for another", async () => {
      const { log } = await open({ partitions: { readings: 2 } });
      await log.append("readings", [...numbered("slow", 4, 0), ...numbered("quick", 4, 1)]);
      const release = Promise.withResolvers<void>();
      const seen = await collect(
        log,
        { group: "g", topic: "readings", batchRecords: 1 },
        (_, { partition }) => (partition === 0 ? release.promise : Promise.resolve()),
      );
      const of = (n: number) => texts(seen.records.filter(({ partition }) => partition === n));
      await until("the quick partition and one slow batch", () => of(1).length === 4 && of(0).length === 1);
      expect(of(0)).toEqual(["slow0"]);
      expect(seen.member.lag()).toEqual(
        new Map([
          [0, 3],
          [1, 0],
        ]),
      );
      release.resolve();
      await until("the slow partition", () => of(0).length === 4);
      await seen.member.stop();
    });

    it("starts at the oldest record kept when it is asked for less", async () => {
      const { log } = await open();
      await log.append("readings", numbered("a", 10));
      await log.trim("readings", 0, 6);
      const seen = await collect(log, { group: "g", topic: "readings", from: 2 });
      await until("what is left", () => seen.records.length >= 4);
      expect(seen.records.map(({ offset }) => offset)).toEqual([6, 7, 8, 9]);
      await seen.member.stop();
    });

    it("refuses a second member of a group on one topic, and disturbs the first by nothing", async () => {
      const { log } = await open();
      const seen = await collect(log, { group: "g", topic: "readings" });
      await expect(collect(log, { group: "g", topic: "readings" })).rejects.toThrow("already reads topic");
      await log.append("readings", numbered("a", 1));
      await until("the record", () => seen.records.length === 1);
      expect(seen.member.trouble()).toBeNull();
      await seen.member.stop();
    });

    it("waits in `stop` for the batch that is running, revokes after it, and gives nothing more", async () => {
      const { log } = await open();
      await log.append("readings", numbered("a", 2));
      const release = Promise.withResolvers<void>();
      const order: string[] = [];
      const seen = await collect(log, { group: "g", topic: "readings", batchRecords: 1 }, async (batch) => {
        await release.promise;
        order.push(...texts(batch));
      });
      await until("the first batch", () => seen.records.length === 1);
      const stopped = seen.member.stop().then(() => order.push(`revoked ${seen.revoked}`));
      expect(seen.assignments.get(0)?.signal.aborted).toBe(true);
      release.resolve();
      await stopped;
      expect(order).toEqual(["a0", "revoked 0"]);
    });

    it("lets a group be joined again after its member has stopped", async () => {
      const { log } = await open();
      await log.append("readings", numbered("a", 1));
      for (const _ of [1, 2]) {
        const seen = await collect(log, { group: "g", topic: "readings" });
        await until("the record", () => seen.records.length === 1);
        await seen.member.stop();
      }
    });
  });
};
