import type { ICustomPartitioner, Message, PartitionMetadata } from "kafkajs";
import { LogUnavailableError } from "../../ports/event-log.ts";

interface Seen {
  readonly told: readonly PartitionMetadata[];
  readonly leaders: ReadonlyMap<number, number>;
}

/** Partitions that were to go out by one call have several leaders. Nothing of it was sent, and the leaders are known now. */
export class LeadersDifferError extends LogUnavailableError {}

/**
 * Which broker leads which partition, as kafkajs sees it. It tells nobody but the partitioner, which it asks about each
 * record, and about all those of a call in one go, before each of its tries: so a try that would go to two brokers can
 * be refused before anything of it is sent.
 */
export class Leaders {
  readonly #topics = new Map<string, Seen>();
  /** Of each call: those that follow are of the same one. */
  #firsts: ReadonlySet<Message | undefined> = new Set();
  /** Of the call that is asked about. */
  #leader: number | undefined;

  /** The id of a broker; null as long as nothing was sent to the topic. */
  of(topic: string, partition: number): number | null {
    return this.#topics.get(topic)?.leaders.get(partition) ?? null;
  }

  /** The messages of each call that is made next: they go to one broker, or not at all. */
  expect(calls: readonly (readonly Message[])[]): void {
    this.#firsts = new Set(calls.map(([first]) => first));
  }

  /** Every message has its partition. */
  readonly partitioner: ICustomPartitioner =
    () =>
    ({ topic, partitionMetadata, message }) => {
      const partition = message.partition ?? 0;
      const leader = this.#see(topic, partitionMetadata).leaders.get(partition);
      if (this.#firsts.has(message)) this.#leader = leader;
      if (leader !== this.#leader)
        throw new LeadersDifferError("The partitions of one request to Kafka are led by several brokers.");
      return partition;
    };

  #see(topic: string, told: readonly PartitionMetadata[]): Seen {
    const known = this.#topics.get(topic);
    if (known?.told === told) return known;
    const seen = { told, leaders: new Map(told.map(({ partitionId, leader }) => [partitionId, leader])) };
    this.#topics.set(topic, seen);
    return seen;
  }
}
