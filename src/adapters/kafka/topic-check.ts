import type { DescribeConfigResponse, PartitionMetadata } from "kafkajs";
import type { OwnTopic } from "./topic-names.ts";
import { settingsOf, type TopicSetting } from "./topic-settings.ts";

/** A topic of ours as it is on the cluster. */
export interface TopicThere {
  readonly topic: OwnTopic;
  readonly name: string;
  readonly partitions: readonly PartitionMetadata[];
  readonly settings: ReadonlyMap<string, string>;
}

/** What is wanted of it beside its settings. */
export interface TopicWanted {
  readonly partitions: number;
  /** Null: as it is. */
  readonly replicationFactor: number | null;
  readonly minInSyncReplicas: number | null;
}

export const settingsIn = (answer: DescribeConfigResponse, name: string): ReadonlyMap<string, string> => {
  const { configEntries = [] } = answer.resources.find(({ resourceName }) => resourceName === name) ?? {};
  return new Map(configEntries.map(({ configName, configValue }) => [configName, configValue]));
};

const alter = (server: string, name: string, setting: string): string =>
  `kafka-configs.sh --bootstrap-server ${server} --alter --entity-type topics --entity-name ${name} --add-config ${setting}`;

const minimum = (value: number): TopicSetting => ({
  name: "min.insync.replicas",
  value: String(value),
  wanted: `${value} or more`,
  suits: (there) => Number(there) >= value,
});

const wrongSettings = (there: TopicThere, wanted: TopicWanted, server: string): string[] => {
  const { minInSyncReplicas } = wanted;
  const replicas = minInSyncReplicas === null ? [] : [minimum(minInSyncReplicas)];
  return [...settingsOf(there.topic), ...replicas].flatMap(({ name, value, wanted: words, suits }) => {
    const found = there.settings.get(name);
    if (found === undefined || suits(found)) return [];
    const problem = `Topic ${there.name} has ${name}=${found}; wanted is ${words}.`;
    return [`${problem}\n  ${alter(server, there.name, `${name}=${value}`)}`];
  });
};

const wrongPartitions = (there: TopicThere, wanted: number, server: string): string[] => {
  const found = there.partitions.length;
  if (found === wanted) return [];
  const problem = `Topic ${there.name} has ${found} partitions; wanted are ${wanted}.`;
  // What stands in a partition of readings, and every id made from it, rests on their number.
  if (there.topic === "readings")
    return [
      `${problem}\n  Start with PARTITIONS=${found} as before: the number cannot be changed under a log.`,
    ];
  const more = `kafka-topics.sh --bootstrap-server ${server} --alter --topic ${there.name} --partitions ${wanted}`;
  const fewer = `Start with ${found} partitions of ${there.topic}: Kafka cannot take partitions away.`;
  return [`${problem}\n  ${found < wanted ? more : fewer}`];
};

const wrongReplicas = (there: TopicThere, wanted: number | null): string[] => {
  const found = Math.min(...there.partitions.map(({ replicas }) => replicas.length));
  if (wanted === null || found >= wanted) return [];
  return [
    `Topic ${there.name} has ${found} replicas; wanted are ${wanted}.\n  kafka-reassign-partitions.sh gives it more.`,
  ];
};

/** What is wrong with a topic, each with the command that mends it. */
export const mistakesOf = (there: TopicThere, wanted: TopicWanted, server: string): string[] => [
  ...wrongPartitions(there, wanted.partitions, server),
  ...wrongReplicas(there, wanted.replicationFactor),
  ...wrongSettings(there, wanted, server),
];
