import kafkajs, { type ITopicConfig } from "kafkajs";
import type { Clock } from "../../ports/clock.ts";
import { faultOf } from "./failures.ts";
import type { Inquiry } from "./inquiry.ts";
import type { KafkaLogOptions } from "./options.ts";
import { KafkaStartError } from "./start-error.ts";
import { mistakesOf, settingsIn, type TopicThere } from "./topic-check.ts";
import { OWN_TOPICS, type OwnTopic, type TopicNames } from "./topic-names.ts";
import { minInSyncReplicas, settingsOf } from "./topic-settings.ts";

// Node finds only the first few names that this package of the older kind of modules exports.
const { ConfigResourceTypes } = kafkajs;
const REPLICAS_USUAL = 3;
/** A broker that died is found dead after its session, by default of 9 s; then others are elected. */
const LED_MAX_MS = 20_000;
const LOOK_EVERY_MS = 50;

/** By default as many as are usual, where there are as many brokers. */
const replicasOf = (options: KafkaLogOptions, brokers: number): number =>
  options.replicationFactor ?? Math.min(REPLICAS_USUAL, brokers);

const specificationOf = (
  topic: OwnTopic,
  names: TopicNames,
  options: KafkaLogOptions,
  brokers: number,
): ITopicConfig => {
  const replicationFactor = replicasOf(options, brokers);
  const inSync = options.minInSyncReplicas ?? minInSyncReplicas(replicationFactor);
  const settings = settingsOf(topic).map(({ name, value }) => ({ name, value }));
  return {
    topic: names.of(topic),
    numPartitions: names.count(topic),
    replicationFactor,
    configEntries: [...settings, { name: "min.insync.replicas", value: String(inSync) }],
  };
};

/** kafkajs gathers what went wrong with each topic of one request. */
const partsOf = (error: unknown): readonly unknown[] => {
  const all: unknown = error instanceof Error && "errors" in error ? error.errors : null;
  return Array.isArray(all) && all.length > 0 ? all : [error];
};

/** Another process may make the same topics at the same time: whoever is first, they are there. */
const create = async (inquiry: Inquiry, topics: readonly ITopicConfig[]): Promise<void> => {
  if (topics.length === 0) return;
  await inquiry.ask("to make the topics", async ({ admin }) => {
    try {
      await admin.createTopics({ topics: [...topics], waitForLeaders: false });
    } catch (error) {
      const [first] = partsOf(error).filter((part) => faultOf(part).code !== "TOPIC_ALREADY_EXISTS");
      if (first !== undefined) throw first instanceof Error && "topic" in first ? cannotMake(first) : first;
    }
  });
};

const cannotMake = (error: Error & { readonly topic: unknown }): Error => {
  const { code, words } = faultOf(error);
  if (code.endsWith("AUTHORIZATION_FAILED")) return error;
  const message = `Topic ${error.topic} cannot be made: ${words} (${code}).`;
  return new KafkaStartError("kafka_topic_unsuitable", message, { cause: error });
};

const find = (inquiry: Inquiry, names: TopicNames): Promise<TopicThere[]> =>
  inquiry.ask("how the topics are set", async ({ admin, cluster }) => {
    const all = OWN_TOPICS.map((topic) => names.of(topic));
    await cluster.addMultipleTargetTopics(all);
    await cluster.refreshMetadata();
    // A leader that was only just appointed may not know of it yet.
    await cluster.fetchTopicsOffset(
      all.map((topic) => ({
        topic,
        partitions: cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({
          partition: partitionId,
        })),
        fromBeginning: true,
      })),
    );
    const resources = all.map((name) => ({ type: ConfigResourceTypes.TOPIC, name }));
    const answer = await admin.describeConfigs({ resources, includeSynonyms: false });
    return OWN_TOPICS.map((topic) => {
      const name = names.of(topic);
      const partitions = cluster.findTopicPartitionMetadata(name);
      return { topic, name, partitions, settings: settingsIn(answer, name) };
    });
  });

const NOT_YET = new Set(["UNKNOWN_TOPIC_OR_PARTITION", "LEADER_NOT_AVAILABLE", "NOT_LEADER_FOR_PARTITION"]);

/**
 * Does `task` again while partitions wait for their leader: a topic just made is not at once known to every broker,
 * and one that has no leader yet, anybody's, spoils the answer about all.
 */
export const onceLed = async <T>(clock: Clock, task: () => Promise<T>): Promise<T> => {
  const deadlineMs = clock.monotonic() + LED_MAX_MS;
  for (;;) {
    try {
      return await task();
    } catch (error) {
      if (!NOT_YET.has(faultOf(error).code) || clock.monotonic() > deadlineMs) throw error;
    }
    await clock.sleep(LOOK_EVERY_MS);
  }
};

/** Makes the topics that are missing; gives all as they are. */
export const ensureTopics = async (
  inquiry: Inquiry,
  names: TopicNames,
  options: KafkaLogOptions,
  brokers: number,
): Promise<readonly TopicThere[]> => {
  const there = await inquiry.ask("which topics there are", ({ admin }) => admin.listTopics());
  const missing = OWN_TOPICS.filter((topic) => !there.includes(names.of(topic)));
  await create(
    inquiry,
    missing.map((topic) => specificationOf(topic, names, options, brokers)),
  );
  return await find(inquiry, names);
};

/** Refuses topics that would lose, misplace or reorder records. */
export const checkTopics = (
  there: readonly TopicThere[],
  names: TopicNames,
  options: KafkaLogOptions,
  brokers: number,
): void => {
  const mistakes = there.flatMap((topic) =>
    mistakesOf(
      topic,
      {
        partitions: names.count(topic.topic),
        replicationFactor: replicasOf(options, brokers),
        minInSyncReplicas: options.minInSyncReplicas ?? null,
      },
      options.brokers.join(","),
    ),
  );
  if (mistakes.length > 0) throw new KafkaStartError("kafka_topic_unsuitable", mistakes.join("\n"));
};
