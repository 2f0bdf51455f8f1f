import { readFile } from "node:fs/promises";
import { ConfigResourceTypes, Kafka, logLevel } from "kafkajs";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { checkVersions } from "../../../src/adapters/kafka/brokers.ts";
import type { KafkaLogOptions } from "../../../src/adapters/kafka/options.ts";
import { onceLed } from "../../../src/adapters/kafka/topics.ts";
import { ManualClock } from "../../support/clock.ts";
import { freePorts } from "../../support/free-ports.ts";
import { brokersOf, kafkaToKill, newPrefix, openTestKafkaLog } from "../../support/kafka.ts";
import { KAFKA_STRANGER, KAFKA_USER } from "../../support/kafka-broker.ts";

const kafka = await kafkaToKill();
const brokers = kafka === null ? [] : [...brokersOf(kafka)];
const client = new Kafka({ brokers: brokers.length > 0 ? brokers : ["none:1"], logLevel: logLevel.NOTHING });
const admin = client.admin();
if (kafka !== null) await admin.connect();
afterAll(() => admin.disconnect());
const at = (name: "plain" | "sasl" | "tls") => [`127.0.0.1:${kafka?.ports[name]}`];
const certificate = await readFile(new URL("../../support/tls/cert.pem", import.meta.url), "utf8");

const open = async (options: Partial<KafkaLogOptions>) => {
  const log = await openTestKafkaLog({ brokers, ...options });
  onTestFinished(() => log.close());
  return log;
};
/** What the log says when it cannot be opened; at most 12 s after it was asked. */
const refusal = async (options: Partial<KafkaLogOptions>): Promise<{ problem: unknown; message: string }> => {
  const startedAt = performance.now();
  const error: unknown = await openTestKafkaLog({ brokers, ...options }).then(
    (log) => log.close(),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error("the log was opened");
  expect(error.name).toBe("KafkaStartError");
  expect(performance.now() - startedAt).toBeLessThan(12_000);
  return { problem: Reflect.get(error, "problem"), message: error.message };
};
const settingsOf = async (topic: string): Promise<Record<string, string>> => {
  const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic }];
  const answer = await admin.describeConfigs({ resources, includeSynonyms: false });
  return Object.fromEntries(
    answer.resources.flatMap(({ configEntries }) =>
      configEntries.map(({ configName, configValue }): [string, string] => [configName, configValue]),
    ),
  );
};
/** The log's topics, but for one that somebody made beforehand. */
const withTopic = async (
  topic: string,
  settings: Readonly<Record<string, string>>,
  numPartitions = 1,
): Promise<{ topicPrefix: string }> => {
  const topicPrefix = newPrefix();
  const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
  await admin.createTopics({ topics: [{ topic: `${topicPrefix}${topic}`, numPartitions, configEntries }] });
  return { topicPrefix };
};

describe.skipIf(kafka === null)("opening a log on Kafka", () => {
  it("makes its topics so that nothing is lost, misplaced or reordered", async () => {
    const topicPrefix = newPrefix();
    await open({ topicPrefix, partitions: { readings: 3 } });
    const { topics } = await admin.fetchTopicMetadata();
    const partitions = Object.fromEntries(
      topics
        .filter(({ name }) => name.startsWith(topicPrefix))
        .map(({ name, partitions }) => [name.slice(topicPrefix.length), partitions.length]),
    );
    expect(partitions).toEqual({ readings: 3, events: 1, live: 1, sources: 3, "dead-letters": 1, meta: 1 });
    const kept = { "cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1" };
    const every = {
      "message.timestamp.type": "LogAppendTime",
      "max.message.bytes": "2097152",
      "compression.type": "uncompressed",
      "min.insync.replicas": "1",
      "unclean.leader.election.enable": "false",
    };
    for (const topic of ["readings", "events", "dead-letters", "meta"])
      expect(await settingsOf(`${topicPrefix}${topic}`)).toMatchObject({ ...every, ...kept });
    expect(await settingsOf(`${topicPrefix}live`)).toMatchObject({ ...every, "retention.ms": "60000" });
    expect(await settingsOf(`${topicPrefix}sources`)).toMatchObject({
      ...every,
      "cleanup.policy": "compact",
    });
  });

  it("is the same log for all processes that open it for the first time at once", async () => {
    const topicPrefix = newPrefix();
    const logs = await Promise.all(Array.from({ length: 4 }, () => open({ topicPrefix })));
    expect(new Set(logs.map(({ logId }) => logId)).size).toBe(1);
  });

  it("refuses a topic whose settings lose records or their order, and says how to mend each", async () => {
    const wrong = await withTopic("readings", {
      "retention.ms": "1000",
      "message.timestamp.type": "CreateTime",
    });
    const { problem, message } = await refusal(wrong);
    expect(problem).toBe("kafka_topic_unsuitable");
    const name = `${wrong.topicPrefix}readings`;
    expect(message).toContain(
      `Topic ${name} has message.timestamp.type=CreateTime; wanted is LogAppendTime.`,
    );
    expect(message).toContain(
      `kafka-configs.sh --bootstrap-server ${brokers[0]} --alter --entity-type topics --entity-name ${name} --add-config message.timestamp.type=LogAppendTime`,
    );
    expect(message).toContain(`Topic ${name} has retention.ms=1000; wanted is -1.`);
    expect(message).toContain("max.message.bytes");
  });

  it("refuses a topic that is not compacted where it must be", async () => {
    const { message } = await refusal(await withTopic("sources", { "cleanup.policy": "delete" }));
    expect(message).toContain("has cleanup.policy=delete; wanted is compact");
  });

  it("refuses another number of partitions of readings than the log has", async () => {
    const topicPrefix = newPrefix();
    const log = await openTestKafkaLog({ brokers, topicPrefix, partitions: { readings: 2, sources: 1 } });
    await log.close();
    const { problem, message } = await refusal({ topicPrefix, partitions: { readings: 3, sources: 1 } });
    expect(problem).toBe("kafka_topic_unsuitable");
    expect(message).toContain(
      `Log ${log.logId} was made with 2 partitions of topic ${topicPrefix}readings, not 3`,
    );
    expect(message).toMatch(/PARTITIONS=2 as before.*npm run export/);

    await admin.createPartitions({ topicPartitions: [{ topic: `${topicPrefix}readings`, count: 3 }] });
    // Neither number would do then, so that neither is advised.
    for (const readings of [2, 3]) {
      const changed = await refusal({ topicPrefix, partitions: { readings, sources: 1 } });
      expect(changed.message).toContain(`Log ${log.logId} was made with 2 partitions`);
      expect(changed.message).toContain("somebody has given it 3");
      expect(changed.message).toMatch(/a new log goes on[\s\S]*npm run export/);
      expect(changed.message).not.toMatch(/PARTITIONS=\d/);
    }
  });

  it("minds no partitions of other topics that are not used", async () => {
    const topicPrefix = newPrefix();
    const log = await openTestKafkaLog({ brokers, topicPrefix, partitions: { readings: 2 } });
    await log.close();
    const more = ["sources", "events"].map((topic) => ({ topic: `${topicPrefix}${topic}`, count: 3 }));
    await admin.createPartitions({ topicPartitions: more });
    const again = await open({ topicPrefix, partitions: { readings: 2 } });
    await again.append("sources", [{ key: "a", value: new Uint8Array([1]) }]);
    expect((await again.bounds("sources")).map(({ partition }) => partition)).toEqual([0, 1]);
  });

  it("refuses topics whose replicas may lose what was acknowledged, and says how to mend each", async () => {
    const wrong = await withTopic("events", {
      "unclean.leader.election.enable": "true",
      "min.insync.replicas": "2",
    });
    const { problem, message } = await refusal({ ...wrong, replicationFactor: 1 });
    expect(problem).toBe("kafka_topic_unsuitable");
    expect(message).toContain("has unclean.leader.election.enable=true; wanted is false");
    expect(message).toContain("--add-config unclean.leader.election.enable=false");
    // Nothing at all would be taken.
    expect(message).toContain("has min.insync.replicas=2; wanted is 1 or more, and not above the 1 replicas");
  });

  it("refuses topics with fewer replicas than are asked for", async () => {
    const topicPrefix = newPrefix();
    await (await open({ topicPrefix })).close();
    const { problem, message } = await refusal({ topicPrefix, replicationFactor: 3 });
    expect(problem).toBe("kafka_topic_unsuitable");
    expect(message).toContain(`Topic ${topicPrefix}readings has 1 replicas; wanted are 3.`);
    expect(message).toMatch(/kafka-reassign-partitions\.sh, or set KAFKA_REPLICATION=1/);
  });

  it("refuses too few partitions of another topic, with the command that adds some", async () => {
    const { message } = await refusal({ ...(await withTopic("sources", {})), partitions: { sources: 4 } });
    expect(message).toContain("sources has 1 partitions; wanted are 4");
    expect(message).toMatch(/kafka-topics\.sh .* --alter --topic \S+sources --partitions 4/);
  });

  it("refuses more replicas than there are brokers", async () => {
    const { problem, message } = await refusal({ replicationFactor: 3 });
    expect(problem).toBe("kafka_topic_unsuitable");
    expect(message).toMatch(/Topic \S+ cannot be made: .*replication.factor/i);
  });

  it("minds no later record of the meta topic, and refuses one that has lost the log's id", async () => {
    const topicPrefix = newPrefix();
    const log = await openTestKafkaLog({ brokers, topicPrefix });
    await log.close();
    const meta = `${topicPrefix}meta`;
    const producer = client.producer({ createPartitioner: () => () => 0 });
    await producer.connect();
    await producer.send({ topic: meta, messages: [{ value: "hello" }] });
    await producer.disconnect();
    await (await open({ topicPrefix })).close();
    await admin.fetchTopicOffsets(meta);
    await admin.deleteTopicRecords({ topic: meta, partitions: [{ partition: 0, offset: "1" }] });
    const lost = await refusal({ topicPrefix });
    expect(lost).toMatchObject({
      problem: "kafka_log_unreadable",
      message: expect.stringContaining("has lost"),
    });
  });

  it("says which brokers cannot be reached", async () => {
    const [port] = await freePorts(1);
    const nobody = [`127.0.0.1:${port}`];
    const { problem, message } = await refusal({ brokers: nobody });
    expect(problem).toBe("kafka_unreachable");
    expect(message).toContain(`Kafka at ${nobody[0]} cannot be reached`);
    expect(message).toContain("ECONNREFUSED");
    expect(message).not.toMatch(/\n\s+at /);
    expect(await refusal({ brokers: ["no-such-host.invalid:9092"] })).toMatchObject({
      problem: "kafka_unreachable",
      message: expect.stringContaining("no host of that name"),
    });
  });

  it.each(["plain", "scram-sha-256", "scram-sha-512"] as const)(
    "logs in by SASL %s, and says when it is refused",
    async (mechanism) => {
      const log = await open({ brokers: at("sasl"), sasl: { mechanism, ...KAFKA_USER } });
      expect((await log.append("events", [{ value: new Uint8Array([1]) }])).length).toBe(1);
      const wrong = { mechanism, username: KAFKA_USER.username, password: "wrong-secret" };
      const { problem, message } = await refusal({ brokers: at("sasl"), sasl: wrong });
      expect(problem).toBe("kafka_credentials_refused");
      expect(message).toContain(`refused ${mechanism} user "test"`);
      expect(message).not.toContain("wrong-secret");
    },
  );

  it("says that a port may want SASL where it wants SASL", async () => {
    const { problem, message } = await refusal({ brokers: at("sasl") });
    expect(problem).toBe("kafka_unreachable");
    expect(message).toContain("set KAFKA_TLS or KAFKA_SASL");
  });

  it("says what a user lacks who may do nothing", async () => {
    const sasl = { mechanism: "plain", ...KAFKA_STRANGER } as const;
    const { problem, message } = await refusal({ brokers: at("sasl"), sasl });
    expect(problem).toBe("kafka_not_authorised");
    expect(message).toContain('does not let plain user "stranger" do what the service needs');
  });

  it("speaks TLS with an authority that is trusted, and with no other", async () => {
    const log = await open({ brokers: at("tls"), tls: { ca: certificate } });
    expect((await log.append("events", [{ value: new Uint8Array([1]) }])).length).toBe(1);
    const { problem, message } = await refusal({ brokers: at("tls"), tls: {} });
    expect(problem).toBe("kafka_tls_failed");
    expect(message).toContain("is not accepted");
  });

  it("says that a port does not speak TLS, and that one may want it", async () => {
    expect(await refusal({ brokers: at("plain"), tls: { ca: certificate } })).toMatchObject({
      problem: "kafka_tls_failed",
    });
    const { problem, message } = await refusal({ brokers: at("tls") });
    expect(problem).toBe("kafka_unreachable");
    expect(message).toContain("TLS");
  });

  it("refuses brokers older than 3.7", () => {
    expect(() => checkVersions({ 0: { minVersion: 0, maxVersion: 9 } }, "b:1")).toThrow(
      /b:1 is older than 3\.7/,
    );
    expect(() => checkVersions({ 0: { minVersion: 3, maxVersion: 13 } }, "b:1")).not.toThrow();
  });
});

/** On which a sleep is over at once, and has taken its time. */
class HastyClock extends ManualClock {
  override async sleep(ms: number): Promise<void> {
    this.advance(ms);
  }
}

describe("waiting for leaders", () => {
  const electing = (type: string): Error => Object.assign(new Error("not yet"), { type });

  it("asks again until there are some", async () => {
    const clock = new HastyClock();
    let asked = 0;
    const task = async (): Promise<string> => {
      if (++asked < 3) throw electing("LEADER_NOT_AVAILABLE");
      return "led";
    };
    const led = onceLed(clock, task);
    expect(await led).toBe("led");
    expect(asked).toBe(3);
  });

  it("gives up after 20 s, with what was said last", async () => {
    const clock = new HastyClock();
    const startedMs = clock.now();
    const led = onceLed(clock, () => Promise.reject(electing("NOT_LEADER_FOR_PARTITION")));
    await expect(led).rejects.toThrow("not yet");
    expect(clock.now() - startedMs).toBeGreaterThanOrEqual(20_000);
    expect(clock.now() - startedMs).toBeLessThan(20_200);
  });

  it("waits for nothing else", async () => {
    const refused = Promise.reject(electing("TOPIC_AUTHORIZATION_FAILED"));
    await expect(onceLed(new HastyClock(), () => refused)).rejects.toThrow("not yet");
  });
});
