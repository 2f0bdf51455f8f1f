import kafkajs, { Kafka, logLevel, type Message } from "kafkajs";
import { describe, expect, it, onTestFinished } from "vitest";
import { collect, take, texts } from "../../conformance/event-log/reading.ts";
import { kafkaBrokers, newPrefix, openTestKafkaLog } from "../../support/kafka.ts";
import { testTelemetry } from "../../support/telemetry.ts";
import { until } from "../../support/until.ts";

const brokers = await kafkaBrokers();
const { CompressionCodecs, CompressionTypes } = kafkajs;
const client = new Kafka({ brokers: [...(brokers ?? ["none:1"])], logLevel: logLevel.NOTHING });
const MIB = 2 ** 20;
const TOPIC = 2;

/** A log whose topic `readings` is kept as `compression` says, and what another client writes to it. */
const open = async (compression: string, partitions = 1) => {
  const telemetry = testTelemetry();
  const topicPrefix = newPrefix();
  const counts = { readings: partitions };
  const log = await openTestKafkaLog({ brokers: brokers ?? [], topicPrefix, partitions: counts, telemetry });
  onTestFinished(() => log.close());
  const topic = `${topicPrefix}readings`;
  const admin = client.admin();
  await admin.connect();
  const configEntries = [{ name: "compression.type", value: compression }];
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ type: TOPIC, name: topic, configEntries }],
  });
  await admin.disconnect();
  const producer = client.producer();
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  const send = (codec: kafkajs.CompressionTypes, ...messages: Message[]) =>
    producer.send({
      topic,
      compression: codec,
      messages: messages.map((each) => ({ partition: 0, ...each })),
    });
  const passedOver = async () =>
    Number(
      /^log_batch_unreadable_total\{.*\} (\d+)$/m.exec((await telemetry.metrics.expose()).text)?.[1] ?? 0,
    );
  return { log, topic, send, passedOver };
};

/** A frame of lz4 (github.com/lz4/lz4, doc/lz4_Frame_format.md) with one block that is not compressed. */
const lz4Frame = (data: Buffer): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32LE((data.length | 0x80_00_00_00) >>> 0);
  return Buffer.concat([Buffer.from("04224d18604082", "hex"), size, data, Buffer.alloc(4)]);
};

describe.skipIf(brokers === null)("a batch that can never be unpacked", () => {
  it("is passed over with a word where it would unpack to more than 64 MiB, and all others are read", async () => {
    const { log, topic, send, passedOver } = await open("gzip", 2);
    const { GZIP } = CompressionTypes;
    await send(GZIP, { value: "a\n" });
    await send(GZIP, { value: Buffer.alloc(64 * MIB) }, { value: "b\n" });
    await send(GZIP, { value: "c\n" });
    await send(GZIP, { value: "other\n", partition: 1 });
    const seen = await collect(log, { group: "g", topic: "readings" });
    await until("all that can be read", () => seen.records.length >= 4);
    const read = seen.records.filter(({ partition }) => partition === 0);
    const words = `A batch of 2 records at offsets 1 to 2 of partition 0 of topic ${topic} is passed over: it unpacks to more than 64 MiB.`;
    expect(texts(read)).toEqual(["a\n", words, "c\n"]);
    expect(read.map(({ offset, headers }) => [offset, headers.kind])).toEqual([
      [0, undefined],
      [2, "unreadable"],
      [3, undefined],
    ]);
    expect(seen.member.trouble()).toBeNull();
    expect([...seen.member.lag().values()]).toEqual([0, 0]);
    expect(await passedOver()).toBeGreaterThanOrEqual(1);
    await seen.member.stop();
    expect(texts(await take(log, "readings", 2, { from: 2 }))).toEqual([words, "c\n"]);
  });

  it("is passed over where it is packed by a codec that is not read", async () => {
    const { log, send } = await open("producer");
    const ours = CompressionCodecs[CompressionTypes.LZ4];
    CompressionCodecs[CompressionTypes.LZ4] = () => ({
      compress: async ({ buffer }: { buffer: Buffer }) => lz4Frame(buffer),
    });
    await send(CompressionTypes.LZ4, { value: "" }).finally(() => {
      CompressionCodecs[CompressionTypes.LZ4] = ours;
    });
    await send(CompressionTypes.None, { value: "a\n" });
    const [standIn, next] = texts(await take(log, "readings", 2));
    expect(standIn).toMatch(/offsets 0 to 0 .*: it is packed by lz4, which is not read here\.$/);
    expect(next).toBe("a\n");
  });
});

it.skipIf(brokers === null)(
  "unpacks no more of one answer than fits, and reads all of it by and by",
  async () => {
    const { log, send } = await open("gzip");
    for (let i = 0; i < 5; i++) await send(CompressionTypes.GZIP, { value: Buffer.alloc(40 * MIB, i) });
    const answers: number[] = [];
    const ended = new AbortController();
    for await (const batch of log.tail("readings", { from: 0, signal: ended.signal })) {
      answers.push(...batch.map(({ value }) => value[0] ?? -1));
      if (answers.length === 5) break;
    }
    ended.abort();
    expect(answers).toEqual([0, 1, 2, 3, 4]);
  },
);
