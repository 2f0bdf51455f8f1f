import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { partitionOf } from "../../../src/domain/partition.ts";
import type { NewRecord } from "../../../src/ports/event-log.ts";
import type { OpenLog } from "../event-log.ts";
import { bytes, numbered, take, texts } from "./reading.ts";

const anyRecord = fc.record(
  {
    partition: fc.integer({ min: 0, max: 2 }),
    key: fc.string({ maxLength: 40, unit: "grapheme" }),
    headers: fc.dictionary(
      fc.string({ minLength: 1, maxLength: 20, unit: "grapheme-ascii" }),
      fc.string({ maxLength: 50, unit: "grapheme" }),
      { maxKeys: 5, noNullPrototype: true },
    ),
    value: fc.uint8Array({ maxLength: 6_000 }),
  },
  { requiredKeys: ["partition", "value"] },
);

export const appendBehaviour = (open: OpenLog): void => {
  describe("append", () => {
    it("counts offsets from 0 by one in each partition, and says where each record stands", async () => {
      const { log } = await open({ partitions: { readings: 2 } });
      const first = await log.append("readings", [...numbered("a", 2, 0), ...numbered("b", 1, 1)]);
      const second = await log.append("readings", numbered("c", 1, 0));
      expect(first.map(({ partition, offset }) => [partition, offset])).toEqual([
        [0, 0],
        [0, 1],
        [1, 0],
      ]);
      expect(second.map(({ partition, offset }) => [partition, offset])).toEqual([[0, 2]]);
      expect(await log.bounds("readings")).toEqual([
        { partition: 0, earliest: 0, end: 3 },
        { partition: 1, earliest: 0, end: 1 },
      ]);
    });

    it("keeps the order of calls that do not wait for each other", async () => {
      const { log } = await open();
      const calls = Array.from({ length: 200 }, (_, i) => log.append("readings", numbered(`${i}.`, 2)));
      const places = (await Promise.all(calls)).flat();
      expect(places.map(({ offset }) => offset)).toEqual(Array.from({ length: 400 }, (_, i) => i));
      const expected = Array.from({ length: 200 }, (_, i) => [`${i}.0`, `${i}.1`]).flat();
      expect(texts(await take(log, "readings", 400))).toEqual(expected);
    });

    it("takes of a record nothing but what it is told, whatever else its maker keeps there", async () => {
      const { log } = await open();
      const notOurs = { buffer: new Uint8Array(1_000), settle: () => undefined };
      await log.append("readings", [{ ...notOurs, ...{ partition: 0, value: bytes("a") } }]);
      expect(texts(await take(log, "readings", 1))).toEqual(["a"]);
    });

    it("gives back key, headers and value byte for byte", async () => {
      const { log } = await open({ partitions: { readings: 3 } });
      const property = fc.asyncProperty(
        fc.array(anyRecord, { minLength: 1, maxLength: 8 }),
        async (records: NewRecord[]) => {
          const places = await log.append("readings", records);
          for (const [i, { partition, offset, appendedAt }] of places.entries()) {
            const [read] = await take(log, "readings", 1, { partition, from: offset });
            const { key = null, headers = {}, value } = records[i] ?? { value: bytes("missing") };
            expect({ ...read, value: Buffer.from(read?.value ?? []).toString("hex") }).toEqual({
              partition,
              offset,
              appendedAt,
              key,
              headers,
              value: Buffer.from(value).toString("hex"),
            });
          }
        },
      );
      await fc.assert(property, { numRuns: 25 });
    });

    it("takes blocks of 256 KiB and gives them back whole, also after later reads", async () => {
      const { log } = await open();
      const blocks = [1, 2, 3].map((n) => new Uint8Array(256 * 1024).fill(n));
      await log.append(
        "readings",
        blocks.map((value) => ({ value })),
      );
      const first = await take(log, "readings", 3);
      await take(log, "readings", 3);
      for (const [i, record] of first.entries())
        expect(Buffer.compare(record.value, blocks[i] ?? bytes(""))).toBe(0);
    });

    it("places a record by its key as Kafka's clients do, and one without key or partition in partition 0", async () => {
      const { log } = await open({ partitions: { readings: 5 } });
      const keys = Array.from({ length: 20 }, (_, i) => `sig_${i}`);
      const places = await log.append("readings", [
        ...keys.map((key) => ({ key, value: bytes(key) })),
        { value: bytes("none") },
      ]);
      expect(places.map(({ partition }) => partition)).toEqual([
        ...keys.map((key) => partitionOf(key, 5)),
        0,
      ]);
    });

    it("refuses a partition that does not exist and leaves nothing of the call behind", async () => {
      const { log } = await open({ partitions: { readings: 2 } });
      const wrong = [
        { partition: 0, value: bytes("a") },
        { partition: 2, value: bytes("b") },
      ];
      await expect(log.append("readings", wrong)).rejects.toThrow(RangeError);
      expect(await log.bounds("readings")).toEqual([
        { partition: 0, earliest: 0, end: 0 },
        { partition: 1, earliest: 0, end: 0 },
      ]);
    });

    it("lets append times never fall within a partition", async () => {
      const { log } = await open();
      for (let i = 0; i < 20; i++) await log.append("readings", numbered(`${i}`, 2));
      const times = (await take(log, "readings", 40)).map(({ appendedAt }) => appendedAt);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    });

    it("keeps records, offsets, append times and the log's id over a restart", async () => {
      const { log, reopen } = await open();
      const before = await log.append("readings", numbered("a", 3));
      const again = await reopen();
      expect(again.logId).toBe(log.logId);
      expect(again.logId).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
      const [after] = await again.append("readings", numbered("b", 1));
      expect(after?.offset).toBe(3);
      const records = await take(again, "readings", 4);
      expect(texts(records)).toEqual(["a0", "a1", "a2", "b0"]);
      expect(records.slice(0, 3).map(({ appendedAt }) => appendedAt)).toEqual(
        before.map(({ appendedAt }) => appendedAt),
      );
    });

    it("gives two logs two ids", async () => {
      const [first, second] = [await open(), await open()];
      expect(first.log.logId).not.toBe(second.log.logId);
    });

    it("does nothing for no records", async () => {
      const { log } = await open();
      expect(await log.append("events", [])).toEqual([]);
    });

    it("says how many partitions each topic has", async () => {
      const { log } = await open({ partitions: { readings: 4 } });
      expect(log.partitions("readings")).toBe(4);
      expect(log.partitions("events")).toBe(1);
    });

    it("is well, and down once it is closed", async () => {
      const { log } = await open();
      expect(log.health()).toMatchObject({ state: "ok", detail: null });
      await log.close();
      expect(log.health().state).toBe("down");
      await expect(log.append("readings", numbered("a", 1))).rejects.toThrow("closed");
    });
  });
};
