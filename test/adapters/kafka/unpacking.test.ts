import { gzipSync } from "node:zlib";
import kafkajs from "kafkajs";
import { expect, it } from "vitest";
import { compressionFor } from "../../../src/adapters/kafka/compression.ts";
import { decodeAround, type Replaced } from "../../../src/adapters/kafka/fetch.ts";
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

it("reads an answer of nothing but batches that are too large one by one, and unpacks none of them twice", async () => {
  const [batches, recordsBytes, tooLarge] = [50, 16, 0xff];
  const batchBytes = HEADER_BYTES + recordsBytes;
  const raw = Buffer.from(new ArrayBuffer(batches * batchBytes));
  for (let at = 0; at < batches; at++)
    raw.set(new Uint8Array(recordsOf(1, Buffer.alloc(recordsBytes, tooLarge)).buffer), at * batchBytes);
  let unpacked = 0;
  const unpack = (records: Buffer) => {
    if (records[0] !== tooLarge) return records;
    unpacked++;
    throw Object.assign(new Error("too large"), { code: "ERR_BUFFER_TOO_LARGE" });
  };
  /** As kafkajs reads one: to the batch with which it ends. */
  const decode = async (answer: Buffer) => {
    for (let at = 0; at < batches; at++) {
      const end = (at + 1) * batchBytes;
      const isEnd = await unpackedBy(unpack, answer.subarray(end - recordsBytes, end)).then(
        () => false,
        (error: unknown) => {
          if (error instanceof Error && error.name === "KafkaJSPartialMessageError") return true;
          throw error;
        },
      );
      if (isEnd) return at;
    }
    return batches;
  };
  for (let answered = 1; answered <= 3; answered++) {
    const replaced: Replaced[] = [];
    expect(await decodeAround({ decode }, raw, replaced)).toBe(answered);
    expect(replaced.length).toBe(1);
    expect(unpacked).toBe(answered);
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
