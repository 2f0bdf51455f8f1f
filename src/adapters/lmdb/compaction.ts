import type { Clock } from "../../ports/clock.ts";
import { DEFAULT_LIMITS } from "../event-log/read-limits.ts";
import type { Facts } from "./facts.ts";
import { Position } from "./partition.ts";
import type { StoredPartition } from "./stored-partition.ts";

/** As long as Kafka keeps them by default (delete.retention.ms). */
const TOMBSTONE_RETENTION_MS = 24 * 3_600_000;

function* everyRecord(partition: StoredPartition) {
  const position = new Position(partition, 0);
  for (let batch = position.here(DEFAULT_LIMITS); batch.length > 0; batch = position.here(DEFAULT_LIMITS))
    yield* batch;
}

/** A partition that keeps the newest record of each key, and a tombstone (an empty value) for a day. */
export class CompactedKeys {
  readonly #partition: StoredPartition;
  readonly #newest = new Map<string, number>();

  constructor(partition: StoredPartition) {
    this.#partition = partition;
    this.recover();
  }

  /** Within the running transaction: the record at `offset` is now the newest of its key. */
  put(key: string, offset: number): void {
    const previous = this.#newest.get(key);
    if (previous !== undefined) this.#partition.remove(previous);
    this.#newest.set(key, offset);
  }

  /** Reads the keys anew: after a failed transaction only the store knows what took place. */
  recover(): void {
    this.#newest.clear();
    for (const { key, offset } of everyRecord(this.#partition))
      if (key !== null) this.#newest.set(key, offset);
  }

  /** Within the running transaction, at opening. */
  removeOldTombstones(clock: Clock, facts: Facts): void {
    const { topic, partition } = this.#partition;
    const old = [...everyRecord(this.#partition)].filter(
      ({ value, appendedAt }) => value.length === 0 && appendedAt < clock.now() - TOMBSTONE_RETENTION_MS,
    );
    if (old.length === 0) return;
    facts.putPartitionEnd(topic, partition, this.#partition.handed);
    for (const { key, offset } of old) {
      this.#partition.remove(offset);
      if (key !== null) this.#newest.delete(key);
    }
  }
}
