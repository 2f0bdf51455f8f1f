import { gzipSync, zstdCompressSync } from "node:zlib";
import kafkajs, { Kafka, logLevel } from "kafkajs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readingLine } from "../../../src/domain/reading-line.ts";
import { bytes, take, texts } from "../../conformance/event-log/reading.ts";
import { kafkaBrokers, newPrefix, openTestKafkaLog } from "../../support/kafka.ts";
import { signalId } from "../../support/rows.ts";

const brokers = await kafkaBrokers();
const { CompressionCodecs, CompressionTypes } = kafkajs;
const START = Date.UTC(2026, 0, 31, 9);
const block = (signal: number): string =>
  Array.from({ length: 2_000 }, (_, i) => readingLine(signalId(signal), START + i, -40 - (i % 50))).join("");

const open = async () => {
  const topicPrefix = newPrefix();
  const log = await openTestKafkaLog({ brokers: brokers ?? [], topicPrefix, partitions: { readings: 2 } });
  onTestFinished(() => log.close());
  const compress = vi.spyOn(CompressionCodecs[CompressionTypes.ZSTD](), "compress");
  onTestFinished(() => compress.mockRestore());
  return { log, topicPrefix, compress };
};

describe.skipIf(brokers === null)("what is sent to Kafka", () => {
  it("is compressed where blocks are large, and read as it was written", async () => {
    const { log, compress } = await open();
    const written = [block(1), block(2), "a\n"];
    await log.append("readings", [
      { partition: 0, value: bytes(block(1)) },
      { partition: 1, value: bytes(block(3)) },
      { partition: 0, value: bytes(block(2)), headers: { kind: "change" } },
      { partition: 0, value: bytes("a\n") },
    ]);
    expect(compress).toHaveBeenCalledTimes(2);
    const records = await take(log, "readings", 3);
    expect(texts(records)).toEqual(written);
    expect(records.map(({ offset, headers }) => [offset, headers.kind])).toEqual([
      [0, undefined],
      [1, "change"],
      [2, undefined],
    ]);
  });

  it("is not compressed where little goes to each partition", async () => {
    const { log, compress } = await open();
    await log.append("readings", [
      { partition: 0, value: bytes("a\n") },
      { partition: 1, value: bytes("b\n".repeat(1_000)) },
    ]);
    expect(texts(await take(log, "readings", 1))).toEqual(["a\n"]);
    expect(compress).not.toHaveBeenCalled();
  });

  it("can be read from a topic that was set to keep it compressed", async () => {
    const { log, topicPrefix, compress } = await open();
    const admin = new Kafka({ brokers: [...(brokers ?? [])], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const configEntries = [{ name: "compression.type", value: "producer" }];
    // 2: a topic.
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: 2, name: `${topicPrefix}readings`, configEntries }],
    });
    await admin.disconnect();
    await log.append("readings", [{ partition: 0, value: bytes(block(1)) }]);
    expect(texts(await take(log, "readings", 1))).toEqual([block(1)]);
    expect(compress).toHaveBeenCalledTimes(1);
  });
});

it.each([
  ["gzip", gzipSync, CompressionTypes.GZIP],
  ["zstd", zstdCompressSync, CompressionTypes.ZSTD],
] as const)("is not unpacked by %s beyond what a batch may hold, whoever wrote it", async (_, pack, type) => {
  const { decompress } = CompressionCodecs[type]();
  const most = Buffer.alloc(64 * 1_024 * 1_024);
  expect((await decompress(pack(most))).length).toBe(most.length);
  const bomb = pack(Buffer.concat([most, Buffer.from([0])]));
  await expect(decompress(bomb)).rejects.toThrow("it unpacks to more than 64 MiB");
});
