import { createRequire } from "node:module";
import fc from "fast-check";
import { expect, test } from "vitest";
import { murmur2, partitionOf } from "../../src/domain/partition.ts";

/** The partitioner of the Kafka client that the service uses. */
const reference: (key: Buffer) => number = createRequire(import.meta.url)(
  "kafkajs/src/producer/partitioners/default/murmur2.js",
);

test("murmur2 of any bytes is what Kafka's clients compute", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(murmur2(bytes)).toBe(reference(Buffer.from(bytes)));
    }),
  );
});

test("a key of any characters goes to the partition that Kafka's default partitioner picks", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 64 }), (key, partitions) => {
      expect(partitionOf(key, partitions)).toBe((reference(Buffer.from(key)) & 0x7fffffff) % partitions);
    }),
  );
});
