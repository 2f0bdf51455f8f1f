import { gzipSync } from "node:zlib";
import kafkajs from "kafkajs";
import { expect, it } from "vitest";
import { compressionFor } from "../../../src/adapters/kafka/compression.ts";
import { beginAnswer, unpackedBy } from "../../../src/adapters/kafka/unpacking.ts";

const { CompressionCodecs, CompressionTypes } = kafkajs;
const MIB = 2 ** 20;
const HEADER_BYTES = 61;

/** The records of a batch whose header says that there are so many of them. */
const recordsOf = (count: number, records: Buffer): Buffer => {
  const answer = Buffer.from(new ArrayBuffer(HEADER_BYTES + records.length));
  answer.writeInt32BE(answer.length - 12, 8);
  answer.writeInt8(2, 16);
  answer.writeInt32BE(count, 57);
  answer.set(records, HEADER_BYTES);
  return answer.subarray(HEADER_BYTES);
};

it("unpacks the batches of one answer until they fill the limit, and leaves the rest for the next", async () => {
  const answer = Buffer.from(new ArrayBuffer(64));
  for (let turn = 0; turn < 2; turn++) {
    beginAnswer(answer);
    const unpack = async (at: number) =>
      (await unpackedBy(() => Buffer.alloc(40 * MIB), answer.subarray(at))).length;
    expect([await unpack(0), await unpack(16)]).toEqual([40 * MIB, 40 * MIB]);
    // By this name kafkajs knows that an answer ends within a batch.
    await expect(unpack(32)).rejects.toMatchObject({ name: "KafkaJSPartialMessageError" });
  }
});

it.each([
  ["as they are", CompressionTypes.None, Buffer.alloc(64)],
  ["packed", CompressionTypes.GZIP, gzipSync(Buffer.alloc(64))],
])("takes no batch whose records alone would fill the memory: %s", async (_, type, records) => {
  // Registers the codecs.
  expect(compressionFor(1, 1)).toBe(CompressionTypes.None);
  const codec: unknown = Reflect.get(CompressionCodecs, type);
  const { decompress } = (codec as () => { decompress(records: Buffer): Promise<Buffer> })();
  expect(await decompress(recordsOf(104_857, records))).toEqual(Buffer.alloc(64));
  const refused = decompress(recordsOf(104_858, records));
  await expect(refused).rejects.toThrow("it holds more than 104857 records");
});
