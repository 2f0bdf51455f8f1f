import type { Clock } from "../../ports/clock.ts";
import type { Appended, NewRecord } from "../../ports/event-log.ts";
import { encodeEnvelope } from "./envelope.ts";
import type { Facts } from "./facts.ts";
import type { StoredTopic } from "./keys.ts";
import { storedBytesOf } from "./stored-bytes.ts";
import type { PreparedRecord, StoredPartition } from "./stored-partition.ts";
import type { Topics } from "./topics.ts";
import type { Write } from "./write-queue.ts";

/** So that a value is read back by one copy, and a batch stays a batch. */
const RECORD_BYTES_MAX = 8 * 2 ** 20;

/** The records of one call of `append`. Throws RangeError for a record that cannot be stored, before anything is. */
export class AppendWrite implements Write {
  readonly makesRoom = false;
  readonly bytes: number;
  /** Filled by `put`. */
  readonly appended: Appended[] = [];
  readonly #prepared: readonly PreparedRecord[];
  readonly #topics: Topics;
  readonly #clock: Clock;

  constructor(topics: Topics, topic: StoredTopic, records: readonly NewRecord[], clock: Clock) {
    this.#topics = topics;
    this.#clock = clock;
    let bytes = 0;
    this.#prepared = records.map((record) => {
      const partition = topics.stored(topic, topics.partitionFor(topic, record));
      const envelope = encodeEnvelope(record);
      const size = record.value.length + (envelope?.length ?? 0);
      if (size > RECORD_BYTES_MAX) throw new RangeError(`a record of ${size} bytes is too large for the log`);
      bytes += storedBytesOf(size);
      return { partition, record, envelope };
    });
    this.bytes = bytes;
  }

  put(): void {
    const now = this.#clock.now();
    for (const prepared of this.#prepared) {
      const { partition, record } = prepared;
      const place = partition.put(prepared, now);
      if (record.key !== undefined) this.#topics.compacted(partition)?.put(record.key, place.offset);
      this.appended.push({ partition: partition.partition, ...place });
    }
  }

  committed(): void {
    for (const [i, { partition }] of this.#prepared.entries()) {
      const offset = this.appended[i]?.offset;
      if (offset !== undefined) partition.advance(offset + 1);
    }
  }
}

/** Some records of a partition, taken out. */
export class TrimWrite implements Write {
  readonly makesRoom = true;
  readonly bytes: number;
  readonly #partition: StoredPartition;
  readonly #offsets: readonly number[];
  readonly #facts: Facts;

  constructor(partition: StoredPartition, offsets: readonly number[], facts: Facts) {
    this.bytes = storedBytesOf(0) * offsets.length;
    this.#partition = partition;
    this.#offsets = offsets;
    this.#facts = facts;
  }

  put(): void {
    const { topic, partition, handed } = this.#partition;
    this.#facts.putPartitionEnd(topic, partition, handed);
    for (const offset of this.#offsets) this.#partition.remove(offset);
  }

  committed(): void {}
}
