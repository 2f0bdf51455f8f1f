import type { Message, RecordMetadata } from "kafkajs";
import type { Outgoing } from "./append-call.ts";

/** Records of one partition go as one batch of Kafka's, which must not be larger than the topic takes. */
const PARTITION_BYTES = 2 ** 20;
const REQUEST_BYTES = 8 * 2 ** 20;
/** kafkajs handles each record with several small objects, and copies lists of them. */
const REQUEST_RECORDS = 4_000;

/** What goes out by one request: all that is there for some partitions of a topic. */
export interface Share {
  readonly topic: string;
  readonly messages: readonly Message[];
  readonly partitions: number;
  readonly bytes: number;
}

/** What goes out together: records in order, by topic (as the cluster calls it) and partition. */
export class SendBatch {
  readonly #topics = new Map<string, Map<number, Outgoing[]>>();
  readonly #partitionBytes = new Map<Outgoing[], number>();
  /** Whether any of it may have reached a broker. */
  sent = false;
  #bytes = 0;
  #records = 0;
  #waiting = 0;

  /** Of how many partitions not all is durable. */
  get partitions(): number {
    return this.#waiting;
  }
  get empty(): boolean {
    return this.#records === 0;
  }
  /** Whether every record is durable. */
  get done(): boolean {
    return this.#waiting === 0;
  }

  /** False, and nothing happens, where it does not fit in beside what is there. */
  add(name: string, record: Outgoing): boolean {
    const list = this.#listOf(name, record.partition);
    const bytes = this.#partitionBytes.get(list) ?? 0;
    if (list.length > 0 && bytes + record.bytes > PARTITION_BYTES) return false;
    if (this.#records > 0 && this.#bytes + record.bytes > REQUEST_BYTES) return false;
    if (this.#records >= REQUEST_RECORDS) return false;
    if (list.length === 0) this.#waiting++;
    list.push(record);
    this.#partitionBytes.set(list, bytes + record.bytes);
    this.#bytes += record.bytes;
    this.#records++;
    return true;
  }

  /**
   * What is not durable yet: the very same records for a partition each time, as the broker knows repeats by that.
   * Partitions of a topic that have one leader, or none that is known, share a request.
   */
  shares(leaderOf: (topic: string, partition: number) => number | null): Share[] {
    return [...this.#topics].flatMap(([topic, partitions]) => {
      const waiting = [...partitions].filter(([, records]) => records.length > 0);
      const byLeader = Map.groupBy(waiting, ([partition]) => leaderOf(topic, partition));
      return [...byLeader.values()].map((lists) => this.#shareOf(topic, lists));
    });
  }

  /** Tells those who wait for the records of one partition. */
  acknowledge({ topicName, partition, baseOffset, logAppendTime }: RecordMetadata): void {
    const partitions = this.#topics.get(topicName);
    const records = partitions?.get(partition);
    if (records === undefined || records.length === 0 || baseOffset === undefined) return;
    partitions?.delete(partition);
    this.#waiting--;
    const first = Number(baseOffset);
    const appendedAt = Number(logAppendTime);
    for (const [i, { call, index }] of records.entries())
      if (!call.settled) call.stands(index, { partition, offset: first + i, appendedAt });
  }

  /** What is not durable fails, each call of `append` as a whole. */
  fail(error: Error): void {
    for (const partitions of this.#topics.values())
      for (const { call } of [...partitions.values()].flat()) if (!call.settled) call.fail(error);
    this.#topics.clear();
    this.#waiting = 0;
  }

  #shareOf(topic: string, lists: readonly [number, Outgoing[]][]): Share {
    return {
      topic,
      messages: lists.flatMap(([, records]) => records.map(({ message }) => message)),
      partitions: lists.length,
      bytes: lists.reduce((sum, [, records]) => sum + (this.#partitionBytes.get(records) ?? 0), 0),
    };
  }

  #listOf(name: string, partition: number): Outgoing[] {
    const partitions = this.#topics.get(name) ?? new Map<number, Outgoing[]>();
    this.#topics.set(name, partitions);
    const list = partitions.get(partition) ?? [];
    partitions.set(partition, list);
    return list;
  }
}
