import type { KafkaMessage } from "kafkajs";

/** A message as kafkajs reads it, with two things that its types leave out. */
export type FetchedMessage = KafkaMessage & {
  /** Written by transactions, not by producers. */
  isControlRecord: boolean;
  /** Of the batch that it came in. */
  readonly batchContext: { readonly firstOffset: string };
};
/** One partition of the answer to a fetch request. */
export interface FetchedPartition {
  /** As the cluster calls it. */
  readonly topic: string;
  readonly partition: number;
  readonly highWatermark: string;
  readonly messages: readonly FetchedMessage[];
}

const member = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
const all = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const isFetched = (value: unknown): value is Pick<FetchedPartition, "highWatermark" | "messages"> =>
  typeof member(value, "highWatermark") === "string" && Array.isArray(member(value, "messages"));

/** Every partition in the answer to a fetch request: `Broker.fetch` has no type of its own for it. */
export const fetchedPartitions = (answer: unknown): FetchedPartition[] =>
  all(member(answer, "responses")).flatMap((response) =>
    all(member(response, "partitions"))
      .filter(isFetched)
      .map((found) => ({
        topic: String(member(response, "topicName")),
        partition: Number(member(found, "partition")),
        highWatermark: found.highWatermark,
        messages: found.messages,
      })),
  );

/** The one partition that was asked for. */
export const fetchedPartition = (answer: unknown): FetchedPartition => {
  const [partition] = fetchedPartitions(answer);
  if (partition === undefined) throw new Error("the answer to a fetch request has no partition");
  return partition;
};
