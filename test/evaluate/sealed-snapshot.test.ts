import { describe, expect, test } from "vitest";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { readSealed, writeBuckets } from "../../src/evaluate/sealed-snapshot.ts";
import { LOG_ID, signalChange, TestPartition } from "../support/partition.ts";

const OF = { logId: LOG_ID, partition: 0, partitions: 1 };
/** Of so many, more buckets than are asked for ahead. */
const SIGNALS = 25_000;

const sealed = async () => {
  const buckets = new Map<number, Uint8Array>();
  const snapshots = {
    writeBucket: async (_partition: number, _generation: number, index: number, bytes: Uint8Array) => {
      buckets.set(index, bytes);
    },
  };
  const partition = new TestPartition();
  for (let n = 0; n < SIGNALS; n++) partition.change(signalChange(n));
  const writing = {
    snapshots,
    clock: systemClock,
    entropy: systemEntropy,
    signal: new AbortController().signal,
  };
  const seal = await writeBuckets(writing, OF, partition.evaluation.snapshot(), null);
  return { seal, bucket: async (index: number) => buckets.get(index) ?? null };
};

describe("the buckets of a sealed snapshot", async () => {
  const { seal, bucket } = await sealed();

  test("are asked for ahead, a few at a time, and read in their order whichever comes first", async () => {
    expect(seal.buckets).toBeGreaterThan(6);
    const asked: number[] = [];
    const waiting = new Map<number, () => void>();
    const reading = readSealed(seal, OF, async (index) => {
      asked.push(index);
      const given = await bucket(index);
      await new Promise<void>((resolve) => {
        waiting.set(index, resolve);
      });
      return given;
    });
    for (const index of [2, 1, 3, 0]) {
      await expect.poll(() => waiting.has(index)).toBe(true);
      expect(asked).toEqual([0, 1, 2, 3]);
      waiting.get(index)?.();
    }
    for (let index = 4; index < seal.buckets; index++) {
      await expect.poll(() => waiting.has(index)).toBe(true);
      waiting.get(index)?.();
    }
    const state = await reading;
    expect(state?.nextOffset).toBe(SIGNALS);
    expect(asked).toEqual(Array.from({ length: seal.buckets }, (_, index) => index));
  });

  test("are of no use where one is missing or in another's place", async () => {
    expect(await readSealed(seal, OF, async (index) => (index === 5 ? null : bucket(index)))).toBeNull();
    expect(await readSealed(seal, OF, (index) => bucket(index === 5 ? 4 : index))).toBeNull();
  });

  test("tell that they cannot be had, once", async () => {
    const away = readSealed(seal, OF, async (index) => {
      if (index === 0) return bucket(index);
      throw new Error(`away: ${index}`);
    });
    await expect(away).rejects.toThrow("away: 1");
  });
});
