import { describe, expect, it } from "vitest";
import type { Snapshots } from "../../../src/ports/control-store.ts";
import type { NewDatabase } from "../control-store.ts";

const sealed = (generation: number, partition = 0) => ({
  partition,
  generation,
  logId: "01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  offset: generation * 1000,
  buckets: 2,
  checksum: `sum ${generation}`,
});

const write = async (snapshots: Snapshots, generation: number, buckets = 2, partition = 0) => {
  for (let index = 0; index < buckets; index++) {
    await snapshots.writeBucket(partition, generation, index, Uint8Array.of(generation, index));
  }
};
const bucketsOf = async (snapshots: Snapshots, generations: readonly number[], partition = 0) => {
  const found: number[][] = [];
  for (const generation of generations) {
    for (let index = 0; index < 30; index++) {
      const bytes = await snapshots.bucket(partition, generation, index);
      if (bytes !== null) found.push([...bytes]);
    }
  }
  return found;
};

export const snapshotsSuite = (newDatabase: NewDatabase): void => {
  const opened = async () => (await newDatabase()).open();

  describe("snapshots", () => {
    it("knows no snapshot before one is sealed, whatever was written", async () => {
      const { snapshots } = await opened();
      await write(snapshots, 1);
      expect(await snapshots.newest(0)).toBeNull();
      expect(await snapshots.partitions()).toEqual([]);
      expect(await snapshots.seal(sealed(1), null)).toBe(true);
      expect(await snapshots.newest(0)).toEqual(sealed(1));
      expect(await snapshots.lastButOne(0)).toBeNull();
      expect(await snapshots.partitions()).toEqual([0]);
    });

    it("keeps the last two generations, and neither older ones nor what was left unsealed before them", async () => {
      const { snapshots } = await opened();
      await write(snapshots, 1, 20);
      await snapshots.seal(sealed(1), null);
      await write(snapshots, 2, 20);
      await write(snapshots, 3);
      expect(await snapshots.seal(sealed(3), 1)).toBe(true);
      expect(await bucketsOf(snapshots, [1, 2, 3])).toHaveLength(42);
      await write(snapshots, 4);
      expect(await snapshots.seal(sealed(4), 3)).toBe(true);
      expect(await snapshots.newest(0)).toEqual(sealed(4));
      expect(await snapshots.lastButOne(0)).toEqual(sealed(3));
      expect(await bucketsOf(snapshots, [1, 2, 3, 4])).toEqual([
        [3, 0],
        [3, 1],
        [4, 0],
        [4, 1],
      ]);
    });

    it("refuses a seal that does not follow the newest one, and deletes nothing for it", async () => {
      const { snapshots } = await opened();
      await write(snapshots, 1);
      await snapshots.seal(sealed(1), null);
      await write(snapshots, 2);
      expect(await snapshots.seal(sealed(2), null)).toBe(false);
      await snapshots.seal(sealed(2), 1);
      expect(await snapshots.seal({ ...sealed(3), checksum: "late" }, 1)).toBe(false);
      expect(await snapshots.seal(sealed(8, 5), 7)).toBe(false);
      expect(await snapshots.newest(0)).toEqual(sealed(2));
      expect(await bucketsOf(snapshots, [1, 2])).toHaveLength(4);
    });

    it("lets one of many seal a generation", async () => {
      const database = await newDatabase();
      const [one, two] = await database.openTwo();
      const tries = [one, two, one, two].map(({ snapshots }) => snapshots.seal(sealed(1), null));
      expect((await Promise.all(tries)).filter((won) => won)).toHaveLength(1);
    });

    it("keeps partitions apart, and each bucket's last bytes whole up to 512 KiB", async () => {
      const { snapshots } = await opened();
      const large = new Uint8Array(512 * 1024).map((_, index) => index * 31);
      await snapshots.writeBucket(0, 1, 0, Uint8Array.of(1));
      await snapshots.writeBucket(0, 1, 0, large);
      await snapshots.writeBucket(1, 1, 0, new Uint8Array());
      const bytes = await snapshots.bucket(0, 1, 0);
      expect(Buffer.compare(bytes ?? Buffer.of(), large)).toBe(0);
      expect(await snapshots.bucket(1, 1, 0)).toHaveLength(0);
      expect(await snapshots.bucket(2, 1, 0)).toBeNull();
      await expect(snapshots.writeBucket(0, 1, 1, new Uint8Array(512 * 1024 + 1))).rejects.toThrow(
        RangeError,
      );
    });
  });
};
