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
  readonly highWatermark: string;
  readonly messages: readonly FetchedMessage[];
}

const member = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);

const all = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const isFetchedPartition = (value: unknown): value is FetchedPartition =>
  typeof member(value, "highWatermark") === "string" && Array.isArray(member(value, "messages"));

/** The one partition that was asked for: `Broker.fetch` has no type of its own for its answer. */
export const fetchedPartition = (answer: unknown): FetchedPartition => {
  const topic = first(member(answer, "responses"));
  const partition = first(member(topic, "partitions"));
  if (!isFetchedPartition(partition)) throw new Error("the answer to a fetch request has no partition");
  return partition;
};

/** Every partition in the answer to a fetch request, by the cluster's name of its topic. */
export const fetchedPartitions = (
  answer: unknown,
): { readonly topic: string; readonly partition: number; readonly messages: readonly FetchedMessage[] }[] =>
  all(member(answer, "responses")).flatMap((response) =>
    all(member(response, "partitions")).flatMap((found) =>
      isFetchedPartition(found)
        ? [
            {
              topic: String(member(response, "topicName")),
              partition: Number(member(found, "partition")),
              messages: found.messages,
            },
          ]
        : [],
    ),
  );
