import type { FetchOffsetsPartition } from "kafkajs";
import type { PartitionBounds, Topic } from "../../ports/event-log.ts";
import type { Inquiry, Line } from "./inquiry.ts";
import type { TopicNames } from "./topic-names.ts";

type Offsets = Awaited<ReturnType<Line["cluster"]["fetchTopicsOffset"]>>;

const offsetsOf = (answer: Offsets, name: string): ReadonlyMap<number, number> => {
  const { partitions = [] } = answer.find(({ topic }) => topic === name) ?? {};
  return new Map(partitions.map(({ partition, offset }) => [partition, Number(offset)]));
};

/** Below 0: never committed, or a word of kafkajs for "the oldest". */
const placesIn = (partitions: readonly FetchOffsetsPartition[]): ReadonlyMap<number, number> =>
  new Map(
    partitions
      .map(({ partition, offset }): [number, number] => [partition, Number(offset)])
      .filter(([, offset]) => offset >= 0),
  );

/** What the cluster knows of our topics' offsets. Every question rejects with LogUnavailableError. */
export class LogOffsets {
  readonly #inquiry: Inquiry;
  readonly #names: TopicNames;

  constructor(inquiry: Inquiry, names: TopicNames) {
    this.#inquiry = inquiry;
    this.#names = names;
  }

  async bounds(topic: Topic): Promise<PartitionBounds[]> {
    return (await this.allBounds([topic])).get(topic) ?? [];
  }

  /** Of several topics by one question each for the oldest and the newest offset. */
  async allBounds(topics: readonly Topic[]): Promise<ReadonlyMap<Topic, PartitionBounds[]>> {
    const names = topics.map((topic) => this.#names.of(topic));
    return await this.#inquiry.ask("which offsets there are", async ({ cluster }) => {
      await cluster.addMultipleTargetTopics(names);
      await cluster.refreshMetadataIfNecessary();
      const ask = (fromBeginning: boolean) =>
        cluster.fetchTopicsOffset(
          topics.map((topic) => ({
            topic: this.#names.of(topic),
            partitions: this.#partitions(topic).map((partition) => ({ partition })),
            fromBeginning,
          })),
        );
      const [earliest, end] = await Promise.all([ask(true), ask(false)]);
      return new Map(topics.map((topic) => [topic, this.#boundsIn(topic, earliest, end)]));
    });
  }

  /** One past the newest record that may be read. */
  async end(topic: Topic, partition: number): Promise<number> {
    const name = this.#names.of(topic);
    return await this.#inquiry.ask("where a partition ends", async ({ cluster }) => {
      await cluster.addMultipleTargetTopics([name]);
      const asked = [{ topic: name, partitions: [{ partition }], fromBeginning: false }];
      return offsetsOf(await cluster.fetchTopicsOffset(asked), name).get(partition) ?? 0;
    });
  }

  /** How many partitions the topic has on the cluster now. */
  async countPartitions(topic: Topic): Promise<number> {
    const name = this.#names.of(topic);
    return await this.#inquiry.ask("how many partitions there are", async ({ cluster }) => {
      await cluster.addMultipleTargetTopics([name]);
      await cluster.refreshMetadata();
      return cluster.findTopicPartitionMetadata(name).length;
    });
  }

  /** Partitions that a group has no place in are left out. */
  async committed(group: string, topic: Topic): Promise<ReadonlyMap<number, number>> {
    return (await this.allCommitted(group, [topic])).get(topic) ?? new Map();
  }

  /** As `committed`, of several topics by one question. */
  async allCommitted(
    group: string,
    topics: readonly Topic[],
  ): Promise<ReadonlyMap<Topic, ReadonlyMap<number, number>>> {
    const asked = { groupId: this.#names.group(group), topics: topics.map((topic) => this.#names.of(topic)) };
    const answer = await this.#inquiry.ask("what a group has committed", ({ admin }) =>
      admin.fetchOffsets(asked),
    );
    return new Map(
      topics.map((topic) => {
        const name = this.#names.of(topic);
        const { partitions = [] } = answer.find((each) => each.topic === name) ?? {};
        return [topic, placesIn(partitions)];
      }),
    );
  }

  /** In whatever process; one that was killed counts until its session ends. */
  async members(group: string): Promise<number> {
    const groupId = this.#names.group(group);
    const { groups } = await this.#inquiry.ask("who is in a group", ({ admin }) =>
      admin.describeGroups([groupId]),
    );
    return groups.reduce((sum, { members }) => sum + members.length, 0);
  }

  /** Deletes what is below `before`; nothing where there is nothing. */
  async trim(topic: Topic, partition: number, before: number): Promise<void> {
    const bounds = (await this.bounds(topic)).find((each) => each.partition === partition);
    if (bounds === undefined || before <= bounds.earliest) return;
    const offset = String(Math.min(before, bounds.end));
    const name = this.#names.of(topic);
    await this.#inquiry.ask("to delete old records", async ({ admin }) => {
      // It looks its topic up in what it knows of the cluster, and does not ask for it.
      await admin.fetchTopicOffsets(name);
      await admin.deleteTopicRecords({ topic: name, partitions: [{ partition, offset }] });
    });
  }

  #partitions(topic: Topic): number[] {
    return Array.from({ length: this.#names.count(topic) }, (_, partition) => partition);
  }

  #boundsIn(topic: Topic, earliest: Offsets, end: Offsets): PartitionBounds[] {
    const name = this.#names.of(topic);
    const [first, last] = [offsetsOf(earliest, name), offsetsOf(end, name)];
    return this.#partitions(topic).map((partition) => {
      const oldest = first.get(partition) ?? 0;
      return { partition, earliest: oldest, end: Math.max(oldest, last.get(partition) ?? 0) };
    });
  }
}
