import { setTimeout as delay } from "node:timers/promises";
import { Kafka, logLevel, type Message } from "kafkajs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LogUnavailableError } from "../../../src/ports/event-log.ts";
import { collect, numbered, take, texts } from "../../conformance/event-log/reading.ts";
import { kafkaBrokers, newPrefix, openTestKafkaLog } from "../../support/kafka.ts";
import { testTelemetry } from "../../support/telemetry.ts";
import { until } from "../../support/until.ts";

const brokers = await kafkaBrokers();
const client = new Kafka({ brokers: [...(brokers ?? ["none:1"])], logLevel: logLevel.NOTHING });
const MIB = 2 ** 20;

const open = async (partitions: number, topicPrefix = newPrefix()) => {
  const telemetry = testTelemetry();
  const log = await openTestKafkaLog({
    brokers: brokers ?? [],
    topicPrefix,
    partitions: { readings: partitions },
    telemetry,
  });
  onTestFinished(() => log.close());
  const exposed = async () => (await telemetry.metrics.expose()).text;
  return { log, topicPrefix, exposed };
};

describe.skipIf(brokers === null)("reading from Kafka", () => {
  it("keeps a few MiB in memory for a consumer that stands still, lets others go on, and then catches up", async () => {
    const { log, exposed } = await open(2);
    const block = { partition: 0, value: new Uint8Array(MIB / 4) };
    for (let i = 0; i < 12; i++)
      await log.append(
        "readings",
        Array.from({ length: 16 }, () => block),
      );
    const still = Promise.withResolvers<void>();
    const seen = await collect(log, { group: "g", topic: "readings" }, (_, { partition }) =>
      partition === 0 ? still.promise : Promise.resolve(),
    );
    const feedBytes = async () =>
      Number(/^log_feed_bytes\{group="g",topic="readings"\} (\d+)$/m.exec(await exposed())?.[1] ?? 0);
    await until("a full feed", async () => (await feedBytes()) >= 8 * MIB);
    for (let i = 0; i < 5; i++) {
      await log.append("readings", numbered(`${i}.`, 1, 1));
      await until(
        "the other partition",
        () => seen.records.filter((each) => each.partition === 1).length > i,
      );
    }
    expect(await feedBytes()).toBeLessThan(12 * MIB);
    expect(seen.member.lag().get(0)).toBeGreaterThan(180);
    still.resolve();
    await until("all records", () => seen.records.filter((each) => each.partition === 0).length === 192);
    const offsets = seen.records.filter((each) => each.partition === 0).map(({ offset }) => offset);
    expect(offsets).toEqual(Array.from({ length: 192 }, (_, offset) => offset));
    await seen.member.stop();
  });

  it("goes on with the oldest record kept where what it was to read next was deleted", async () => {
    const { log, exposed } = await open(1);
    const block = { value: new Uint8Array(MIB / 4) };
    for (let i = 0; i < 4; i++)
      await log.append(
        "readings",
        Array.from({ length: 20 }, () => block),
      );
    const still = Promise.withResolvers<void>();
    const seen = await collect(log, { group: "g", topic: "readings" }, () => still.promise);
    const assignment = await until("the assignment", () => seen.assignments.get(0));
    await until("the first batch", () => seen.records.length > 0);
    await log.trim("readings", 0, 70);
    await assignment.commit(2);
    still.resolve();
    await until("the rest", () => seen.records.at(-1)?.offset === 79);
    const offsets = seen.records.map(({ offset }) => offset);
    expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    const skipped = 70 - (offsets.findLast((offset) => offset < 70) ?? 0) - 1;
    expect(await exposed()).toContain(`log_skipped_records_total{topic="readings"} ${skipped}\n`);
    expect(offsets.slice(-10)).toEqual([70, 71, 72, 73, 74, 75, 76, 77, 78, 79]);
    await assignment.commit(80);
    expect(await log.committed("g", "readings")).toEqual(new Map([[0, 80]]));
    await seen.member.stop();
  });

  it("takes what other clients write: compressed, keyed, with headers of any kind, without a value", async () => {
    const { log, topicPrefix } = await open(1);
    const producer = client.producer({ createPartitioner: () => () => 0 });
    await producer.connect();
    const messages: Message[] = [
      {
        key: "sig_1",
        value: "line\n",
        headers: { twice: ["one", "two"], traceparent: Buffer.from("00-ab") },
      },
      { value: null, headers: { toString: "x" } },
      { key: null, value: "last" },
    ];
    // 1: gzip.
    await producer.send({ topic: `${topicPrefix}readings`, compression: 1, messages });
    await producer.disconnect();
    const records = await take(log, "readings", 3);
    expect(texts(records)).toEqual(["line\n", "", "last"]);
    expect(records.map(({ key }) => key)).toEqual(["sig_1", null, null]);
    expect(records.map(({ headers }) => Object.entries(headers))).toEqual([
      [
        ["twice", "two"],
        ["traceparent", "00-ab"],
      ],
      [["toString", "x"]],
      [],
    ]);
  });

  it("passes over what transactions of other clients leave behind", async () => {
    const { log, topicPrefix } = await open(1);
    const topic = `${topicPrefix}readings`;
    const producer = client.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      transactionalId: `${topicPrefix}t`,
      createPartitioner: () => () => 0,
    });
    await producer.connect();
    for (const value of ["a", "b"]) {
      const transaction = await producer.transaction();
      await transaction.send({ topic, messages: [{ value }] });
      await transaction.commit();
    }
    await producer.disconnect();
    const seen = await collect(log, { group: "g", topic: "readings" });
    await until("both", () => seen.records.length === 2);
    expect(texts(seen.records)).toEqual(["a", "b"]);
    expect(texts(await take(log, "readings", 2))).toEqual(["a", "b"]);
    await seen.member.stop();
  });

  it("refuses to go on when somebody changes the number of partitions of readings", async () => {
    const { log, topicPrefix } = await open(2);
    const seen = await collect(log, { group: "g", topic: "readings" });
    await until("the assignments", () => seen.assignments.size === 2);
    const admin = client.admin();
    await admin.connect();
    await admin.createPartitions({ topicPartitions: [{ topic: `${topicPrefix}readings`, count: 3 }] });
    await admin.disconnect();
    await until("the discovery", () => log.health().state === "down");
    expect(log.health().detail).toContain("was made with 2 partitions and has 3 now");
    await expect(log.append("readings", numbered("a", 1))).rejects.toThrow(LogUnavailableError);
    await log.append("events", numbered("event", 1));
    const producer = client.producer({ createPartitioner: () => () => 0 });
    await producer.connect();
    await producer.send({ topic: `${topicPrefix}readings`, messages: [{ value: "astray" }] });
    await producer.disconnect();
    await until("the member's trouble", () => seen.member.trouble()?.includes("3 now"));
    expect(seen.records).toEqual([]);
    await seen.member.stop();
  });

  it("does not go on behind the end of a partition, as if nothing was lost", async () => {
    const { log } = await open(1);
    await log.append("readings", numbered("a", 3));
    const seen = await collect(log, { group: "g", topic: "readings", from: 10 });
    await until("the trouble", () => seen.member.trouble() !== null);
    expect(seen.member.trouble()).toContain("ends at offset 3, and has ended at 10 before");
    expect(log.health()).toMatchObject({ state: "down" });
    await expect(log.append("readings", numbered("b", 8))).rejects.toThrow(LogUnavailableError);
    expect(seen.records).toEqual([]);
    await seen.member.stop();
  });

  it("leaves the process asleep while nothing happens", async () => {
    const { log } = await open(1);
    const seen = await collect(log, { group: "g", topic: "readings" });
    await until("the assignment", () => seen.assignments.size === 1);
    const timers = vi.spyOn(globalThis, "setTimeout");
    await delay(500);
    const set = timers.mock.calls.length;
    timers.mockRestore();
    expect(set).toBeLessThan(20);
    await seen.member.stop();
  });
});
