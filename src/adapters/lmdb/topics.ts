import { partitionOf } from "../../domain/partition.ts";
import type { Clock } from "../../ports/clock.ts";
import { type NewRecord, TOPICS, type Topic } from "../../ports/event-log.ts";
import { CompactedKeys } from "./compaction.ts";
import type { Facts } from "./facts.ts";
import type { StoredTopic } from "./keys.ts";
import { LivePartition } from "./live-partition.ts";
import type { Partition } from "./partition.ts";
import type { Store } from "./store.ts";
import { StoredPartition } from "./stored-partition.ts";

const COMPACTED: StoredTopic = "sources";
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

const at = <T>(partitions: readonly T[], topic: Topic, partition: number): T => {
  const found = partitions[partition];
  if (found === undefined) throw new RangeError(`topic ${topic} has no partition ${partition}`);
  return found;
};

/** Every partition of every topic. */
export class Topics {
  readonly #counts: Readonly<Record<Topic, number>>;
  readonly #stored = new Map<StoredTopic, readonly StoredPartition[]>();
  readonly #compacted = new Map<StoredPartition, CompactedKeys>();
  readonly #live: readonly LivePartition[];

  constructor(store: Store, facts: Facts, counts: Readonly<Record<Topic, number>>, clock: Clock) {
    this.#counts = counts;
    this.#live = numbers(counts.live).map((n) => new LivePartition(n, clock));
    for (const topic of TOPICS) {
      if (topic === "live") continue;
      const open = (n: number) => new StoredPartition(store, topic, n, facts.partitionEnd(topic, n));
      this.#stored.set(topic, numbers(counts[topic]).map(open));
    }
    for (const partition of this.#stored.get(COMPACTED) ?? [])
      this.#compacted.set(partition, new CompactedKeys(partition));
    store.atOnce(() => {
      for (const keys of this.#compacted.values()) keys.removeOldTombstones(clock, facts);
    });
  }

  count(topic: Topic): number {
    return this.#counts[topic];
  }

  all(topic: Topic): readonly Partition[] {
    return topic === "live" ? this.#live : (this.#stored.get(topic) ?? []);
  }

  /** These three throw RangeError where there is no such partition. */
  any(topic: Topic, partition: number): Partition {
    return at(this.all(topic), topic, partition);
  }
  live(partition: number): LivePartition {
    return at(this.#live, "live", partition);
  }
  stored(topic: StoredTopic, partition: number): StoredPartition {
    return at(this.#stored.get(topic) ?? [], topic, partition);
  }

  /** Where a record belongs, by its own word or by its key. */
  partitionFor(topic: Topic, record: NewRecord): number {
    if (topic === COMPACTED && record.key === undefined)
      throw new RangeError(`topic ${topic} is compacted by key: a record needs one`);
    if (record.partition !== undefined) return record.partition;
    return record.key === undefined ? 0 : partitionOf(record.key, this.#counts[topic]);
  }

  /** Null for a partition that is not compacted. */
  compacted(partition: StoredPartition): CompactedKeys | null {
    return this.#compacted.get(partition) ?? null;
  }

  /** After a failed transaction: what was handed over did not take place. */
  recover(): void {
    for (const partition of [...this.#stored.values()].flat()) partition.recover();
    for (const keys of this.#compacted.values()) keys.recover();
  }
}
