import { Kafka, logLevel } from "kafkajs";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import type { EventLog, Topic } from "../../../src/ports/event-log.ts";
import { bytes, collect, numbered, take, textOf, texts } from "../../conformance/event-log/reading.ts";
import { kafkaBrokers, newPrefix, openTestKafkaLog } from "../../support/kafka.ts";
import { until } from "../../support/until.ts";

const brokers = await kafkaBrokers();
const client = new Kafka({ brokers: [...(brokers ?? ["none:1"])], logLevel: logLevel.NOTHING });
const admin = client.admin();
const producer = client.producer({ createPartitioner: () => () => 0 });
if (brokers !== null) await Promise.all([admin.connect(), producer.connect()]);
afterAll(() => Promise.all([admin.disconnect(), producer.disconnect()]));

const open = async (topicPrefix = newPrefix()) => {
  const log = await openTestKafkaLog({ brokers: brokers ?? [], topicPrefix });
  onTestFinished(() => log.close());
  return { log, topicPrefix };
};

/** As brokers leave a topic that come back without what they had: with other records, and fewer of them. */
const lose = async (topic: string, left: readonly string[]): Promise<void> => {
  await admin.deleteTopics({ topics: [topic] });
  // Made and not led yet would count as a failure, and what is there already as not made, for ever.
  const made = { topics: [{ topic, numPartitions: 1 }], waitForLeaders: false };
  await until("the topic to be made anew", () => admin.createTopics(made).catch(() => false));
  const messages = left.map((value) => ({ value }));
  await until("records in it", () => producer.send({ topic, messages }).catch(() => null));
};

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What a tail gives, and why it ended. */
const follow = (log: EventLog, topic: Topic) => {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const seen: string[] = [];
  const read = async () => {
    for await (const batch of log.tail(topic, { from: 0, signal: ending.signal }))
      for (const record of batch) seen.push(textOf(record));
    return "";
  };
  return { seen, ended: read().catch(said) };
};

describe.skipIf(brokers === null)("a log on Kafka whose brokers have lost records", () => {
  it("takes and gives nothing more, and says why", async () => {
    const { log, topicPrefix } = await open();
    await log.append("readings", numbered("old", 5));
    const seen = await collect(log, { group: "g", topic: "readings" });
    const tail = follow(log, "readings");
    await until("all to be read", () => seen.records.length === 5 && tail.seen.length === 5);
    await lose(`${topicPrefix}readings`, ["new0", "new1"]);
    const loss = /Partition 0 of topic \S+readings ends at offset \d, and has ended at 5 before/;
    await until("the discovery", () => log.health().detail?.match(loss));
    expect(log.health().state).toBe("down");
    await expect(log.append("readings", numbered("new", 8))).rejects.toThrow(loss);
    await expect(log.append("events", numbered("event", 1))).rejects.toThrow(loss);
    await expect(log.trim("readings", 0, 5)).rejects.toThrow(loss);
    expect(await tail.ended).toMatch(loss);
    await until("the member's trouble", () => seen.member.trouble()?.match(loss));
    expect(seen.records).toHaveLength(5);
    // Newest values are promised to nobody.
    await log.append("live", numbered("value", 1));
  });

  it("acknowledges no record that came to stand where another had been", async () => {
    const { log, topicPrefix } = await open();
    await log.append("events", numbered("old", 5));
    await lose(`${topicPrefix}events`, ["new0"]);
    // Whoever is first finds out: the one who appends, or the look at all ends.
    const outcomes = await Promise.allSettled([0, 1, 2].map(() => log.append("events", numbered("new", 1))));
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(log.health().detail).toMatch(
      /Partition 0 of topic \S+events ends at offset \d, and has ended at 5/,
    );
  });

  it("is not opened by a process that was not there when it happened", async () => {
    const { log, topicPrefix } = await open();
    await log.append("readings", numbered("a", 3));
    await log.close();
    const partitions = [{ partition: 0, offset: "7" }];
    await admin.setOffsets({
      groupId: `${topicPrefix}evaluate`,
      topic: `${topicPrefix}readings`,
      partitions,
    });
    const refused = openTestKafkaLog({ brokers: brokers ?? [], topicPrefix });
    await expect(refused).rejects.toMatchObject({
      name: "KafkaStartError",
      problem: "kafka_log_shortened",
      message: expect.stringContaining("ends at offset 3, and has ended at 7 before"),
    });
  });

  it("is told from another log in its place", async () => {
    const { log, topicPrefix } = await open();
    const { logId } = log;
    const other = {
      format: 1,
      logId: `${logId.slice(0, -1)}${logId.endsWith("0") ? "1" : "0"}`,
      partitions: 1,
    };
    await lose(`${topicPrefix}meta`, [JSON.stringify(other)]);
    await until("the discovery", () => log.health().detail?.includes(`names log ${other.logId} now`));
    await expect(log.append("readings", numbered("a", 1))).rejects.toThrow("Start all workers anew");
  });

  it("goes on with newest values, which nobody was promised to keep", async () => {
    const { log, topicPrefix } = await open();
    await log.append("live", numbered("old", 5));
    const tail = follow(log, "live");
    await until("all to be read", () => tail.seen.length === 5);
    await lose(`${topicPrefix}live`, ["new0", "new1"]);
    await until("the others to be read", () => tail.seen.includes("new1"));
    await until("one more", () => log.append("live", [{ value: bytes("new2") }]).catch(() => null));
    await until("it to be read", () => tail.seen.includes("new2"));
    expect(texts(await take(log, "live", 3))).toEqual(["new0", "new1", "new2"]);
    expect(log.health().state).toBe("ok");
  });
});
