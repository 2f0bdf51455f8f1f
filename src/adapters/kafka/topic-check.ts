import type { DescribeConfigResponse, PartitionMetadata } from "kafkajs";
import type { OwnTopic } from "./topic-names.ts";
import { minInSyncReplicas, settingsOf, type TopicSetting } from "./topic-settings.ts";

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
  /** Or more. */
  readonly replicationFactor: number;
  /** Null: as suits the replicas that there are. */
  readonly minInSyncReplicas: number | null;
}

export const settingsIn = (answer: DescribeConfigResponse, name: string): ReadonlyMap<string, string> => {
  const { configEntries = [] } = answer.resources.find(({ resourceName }) => resourceName === name) ?? {};
  return new Map(configEntries.map(({ configName, configValue }) => [configName, configValue]));
};

const alter = (server: string, name: string, setting: string): string =>
  `kafka-configs.sh --bootstrap-server ${server} --alter --entity-type topics --entity-name ${name} --add-config ${setting}`;

const replicasOf = ({ partitions }: TopicThere): number =>
  Math.min(...partitions.map(({ replicas }) => replicas.length));

/** As many as were asked for, else as suits the replicas that there are; never more than those, or nothing is taken. */
const inSync = (there: TopicThere, asked: number | null): TopicSetting => {
  const replicas = replicasOf(there);
  const least = asked ?? minInSyncReplicas(replicas);
  return {
    name: "min.insync.replicas",
    value: String(least),
    wanted: `${least} or more, and not above the ${replicas} replicas that there are`,
    suits: (found) => Number(found) >= least && Number(found) <= Math.max(least, replicas),
  };
};

const wrongSettings = (there: TopicThere, wanted: TopicWanted, server: string): string[] =>
  [...settingsOf(there.topic), inSync(there, wanted.minInSyncReplicas)].flatMap(
    ({ name, value, wanted: words, suits }) => {
      const found = there.settings.get(name);
      if (found === undefined || suits(found)) return [];
      const problem = `Topic ${there.name} has ${name}=${found}; wanted is ${words}.`;
      return [`${problem}\n  ${alter(server, there.name, `${name}=${value}`)}`];
    },
  );

/** More than are used do no harm but to `readings`, whose every partition other programs write to. */
const wrongPartitions = (there: TopicThere, wanted: number, server: string): string[] => {
  const found = there.partitions.length;
  const isReadings = there.topic === "readings";
  if (found === wanted || (found > wanted && !isReadings)) return [];
  const problem = `Topic ${there.name} has ${found} partitions; wanted are ${wanted}.`;
  const more = `kafka-topics.sh --bootstrap-server ${server} --alter --topic ${there.name} --partitions ${wanted}`;
  return [`${problem}\n  ${isReadings ? `Start with PARTITIONS=${found}, or delete the topic.` : more}`];
};

const wrongReplicas = (there: TopicThere, wanted: number): string[] => {
  const found = replicasOf(there);
  if (found >= wanted) return [];
  return [
    `Topic ${there.name} has ${found} replicas; wanted are ${wanted}.\n` +
      `  Give it more by kafka-reassign-partitions.sh, or set KAFKA_REPLICATION=${found} if so few are enough.`,
  ];
};

/** What is wrong with a topic, each with the command that mends it. */
export const mistakesOf = (there: TopicThere, wanted: TopicWanted, server: string): string[] => [
  ...wrongPartitions(there, wanted.partitions, server),
  ...wrongReplicas(there, wanted.replicationFactor),
  ...wrongSettings(there, wanted, server),
];
