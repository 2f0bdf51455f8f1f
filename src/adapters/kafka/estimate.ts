import type { PartitionBounds, Topic } from "../../ports/event-log.ts";

/** Taken for a record of a topic that this process has seen nothing of. */
const UNSEEN_BYTES = 1_024;
/** What was seen long ago counts half each time. */
const REMEMBERED_RECORDS = 100_000;

interface Seen {
  bytes: number;
  records: number;
}

/**
 * How much the log's records use: kafkajs cannot ask brokers for sizes on disk, so it is the number of records, which
 * is exact but for compacted topics, times the mean size of those that this process has written and read.
 */
export class SizeEstimate {
  readonly #seen = new Map<Topic, Seen>();

  seen(topic: Topic, bytes: number, records: number): void {
    const seen = this.#seen.get(topic) ?? { bytes: 0, records: 0 };
    seen.bytes += bytes;
    seen.records += records;
    if (seen.records > REMEMBERED_RECORDS) {
      seen.bytes /= 2;
      seen.records /= 2;
    }
    this.#seen.set(topic, seen);
  }

  /** Bytes of everything between the bounds. */
  total(all: ReadonlyMap<Topic, readonly PartitionBounds[]>): number {
    let total = 0;
    for (const [topic, bounds] of all)
      for (const { earliest, end } of bounds) total += (end - earliest) * this.#mean(topic);
    return total;
  }

  #mean(topic: Topic): number {
    const seen = this.#seen.get(topic);
    return seen === undefined || seen.records === 0 ? UNSEEN_BYTES : seen.bytes / seen.records;
  }
}
