import { type Cluster, type Kafka, PartitionAssigners } from "kafkajs";

/**
 * kafkajs's view of the cluster: its brokers, and the requests they take. It is handed to partition assigners only; a
 * consumer that never runs asks for nothing and brings it out. Connect it before use, and disconnect it after.
 */
export const clusterOf = (kafka: Kafka): Cluster => {
  const found: Cluster[] = [];
  kafka.consumer({
    groupId: "none",
    allowAutoTopicCreation: false,
    partitionAssigners: [
      (config) => {
        found.push(config.cluster);
        return PartitionAssigners.roundRobin(config);
      },
    ],
  });
  const [cluster] = found;
  if (cluster === undefined) throw new Error("kafkajs made no cluster for a consumer");
  return cluster;
};
