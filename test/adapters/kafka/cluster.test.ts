import { Kafka, logLevel } from "kafkajs";
import { afterAll, describe, expect, it } from "vitest";
import { type EventLog, LogUnavailableError } from "../../../src/ports/event-log.ts";
import { numbered, take, texts } from "../../conformance/event-log/reading.ts";
import { brokersOf, kafkaCluster } from "../../support/kafka.ts";
import { until } from "../../support/until.ts";
import { openSender } from "./senders.ts";

const cluster = await kafkaCluster();
const second = cluster?.second;
const brokers = cluster === null ? [] : [...brokersOf(cluster.first), ...brokersOf(cluster.second)];
const admin = new Kafka({ brokers: [brokers[0] ?? "none:1"], logLevel: logLevel.NOTHING }).admin();
if (cluster !== null) await admin.connect();
afterAll(() => admin.disconnect());

const SECOND = 2;
const PARTITIONS = 4;

/** Which partitions each of the two leads. */
const leaders = async (topic: string) => {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  const ledBy = (led: boolean) =>
    (topics[0]?.partitions ?? [])
      .filter(({ leader }) => (leader === SECOND) === led)
      .map(({ partitionId }) => partitionId);
  return { ofFirst: ledBy(false), ofSecond: ledBy(true) };
};

const open = async (settings: Parameters<typeof openSender>[2] = {}) => {
  const opened = await openSender(brokers, PARTITIONS, settings);
  const led = await leaders(opened.topic);
  expect([led.ofFirst.length, led.ofSecond.length]).toEqual([2, 2]);
  return { ...opened, ...led };
};

/** What each partition has, when all are led. */
const stored = async (log: EventLog) => {
  const bounds = await until("all to be led", () => log.bounds("readings").catch(() => null));
  const read = bounds.map(({ partition, end }) => take(log, "readings", end, { partition }));
  return (await Promise.all(read)).map(texts);
};
const everywhere = (...records: string[]) => Array.from({ length: PARTITIONS }, () => [...records]);

describe.skipIf(cluster === null)("a producer of Kafka with two brokers", () => {
  it.each([
    ["hangs", "before anything was sent"],
    ["hangs", "later"],
    ["is killed", "before anything was sent"],
    ["is killed", "later"],
  ])("writes all once while one of them %s: %s", async (how, when) => {
    const { log, sender, send, failures, ambiguous } = await open();
    await sender.connect();
    const before = when === "later" ? ["a"] : [];
    for (const text of before) await send(text);
    await (how === "hangs" ? second?.freeze() : second?.kill());
    const sending = send("b");
    await until("five tries", () => failures.length >= 5);
    await (how === "hangs" ? second?.thaw() : second?.start());
    await sending;
    await send("c");
    expect(await stored(log)).toEqual(everywhere(...before, "b", "c"));
    expect(ambiguous()).toBe(0);
  });

  it("writes all once when partitions that one of them led are led by both", async () => {
    const { log, topic, ofFirst, send, failures, ambiguous } = await open();
    await send("a");
    const partitionAssignment = ofFirst.slice(0, 1).map((partition) => ({ partition, replicas: [SECOND] }));
    await admin.alterPartitionReassignments({ topics: [{ topic, partitionAssignment }] });
    await until("the move", async () => (await leaders(topic)).ofSecond.length === 3);
    await send("b");
    await send("c");
    expect(await stored(log)).toEqual(everywhere("a", "b", "c"));
    expect(failures).toEqual([]);
    expect(ambiguous()).toBe(0);
  });

  it("writes no record again that stands when the same ones are given to it after a failure", async () => {
    const { log, topic, ofFirst, ofSecond } = await open();
    await log.append("readings", numbered("a", 1, ofFirst[0]));
    const records = [...ofFirst, ...ofSecond].flatMap((partition) => numbered("b", 2, partition));
    await second?.kill();
    await expect(log.append("readings", records)).rejects.toThrow(LogUnavailableError);
    await second?.start();
    await until("both to lead", async () => (await leaders(topic)).ofSecond.length === 2);
    const places = await until("the records", () => log.append("readings", records).catch(() => null));
    const contents = await stored(log);
    for (const [index, { partition, offset }] of places.entries())
      expect(contents[partition]?.[offset]).toBe(`b${index % 2}`);
    const expected = everywhere("b0", "b1");
    for (const partition of ofFirst.slice(0, 1)) expected[partition]?.unshift("a0");
    expect(contents).toEqual(expected);
  });
});
