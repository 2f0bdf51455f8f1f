import type { LogRecord } from "../../domain/log-record.ts";
import type { NewRecord } from "../../ports/event-log.ts";
import type { ReadLimits } from "../event-log/read-limits.ts";
import { WaitingList } from "../event-log/waiting-list.ts";
import { appendedAtOf, openRecord, sealRecord } from "./envelope.ts";
import { offsetOf, partitionEndKey, recordKey, type StoredTopic } from "./keys.ts";
import type { Partition } from "./partition.ts";
import type { Store } from "./store.ts";

/** Where a partition stands when its newest records are gone: kept as a fact, so that no offset is used twice. */
export interface PartitionEnd {
  readonly end: number;
  readonly lastAppendedAt: number;
}

/** A record made ready before its transaction: the envelope may be refused while the caller still waits. */
export interface PreparedRecord {
  readonly partition: StoredPartition;
  readonly record: NewRecord;
  readonly envelope: Uint8Array | null;
}

export class StoredPartition implements Partition {
  readonly topic: StoredTopic;
  readonly partition: number;
  readonly growth = new WaitingList();
  readonly #records: Store["records"];
  readonly #endKey: Buffer;
  /** One past the newest durable record: readers never see beyond it. */
  #end = 0;
  /** One past the newest record handed to LMDB. */
  #handed = 0;
  #lastAppendedAt = 0;

  constructor(store: Store, topic: StoredTopic, partition: number, known: PartitionEnd | undefined) {
    this.topic = topic;
    this.partition = partition;
    this.#records = store.records;
    this.#endKey = partitionEndKey(topic, partition);
    this.#end = known?.end ?? 0;
    this.#lastAppendedAt = known?.lastAppendedAt ?? 0;
    this.recover();
  }

  get end(): number {
    return this.#end;
  }

  get earliest(): number {
    const first = this.offsets(0, 1)[0];
    return first === undefined ? this.#end : Math.min(first, this.#end);
  }

  /** The place as it is within the running transaction. */
  get handed(): PartitionEnd {
    return { end: this.#handed, lastAppendedAt: this.#lastAppendedAt };
  }

  /** Reads the place anew: after a failed transaction only the store knows what took place. */
  recover(): void {
    const range = { start: this.#endKey, end: recordKey(this.topic, this.partition, 0) };
    const options = { ...range, reverse: true, inclusiveEnd: true, limit: 1, versions: true };
    for (const { key, version } of this.#records.getRange(options)) {
      this.#end = Math.max(this.#end, offsetOf(key) + 1);
      this.#lastAppendedAt = Math.max(this.#lastAppendedAt, appendedAtOf(version ?? 0));
    }
    this.#handed = this.#end;
  }

  /** Hands a record to the running transaction and says where it will stand. */
  put({ record, envelope }: PreparedRecord, now: number): { offset: number; appendedAt: number } {
    const offset = this.#handed;
    const appendedAt = Math.max(now, this.#lastAppendedAt);
    const { version, bytes } = sealRecord(appendedAt, envelope, record.value);
    void this.#records.put(recordKey(this.topic, this.partition, offset), bytes, version);
    this.#handed = offset + 1;
    this.#lastAppendedAt = appendedAt;
    return { offset, appendedAt };
  }

  /** Takes a record out within the running transaction. */
  remove(offset: number): void {
    void this.#records.remove(recordKey(this.topic, this.partition, offset));
  }

  /** Everything below `end` is durable. */
  advance(end: number): void {
    if (end <= this.#end) return;
    this.#end = end;
    // A read transaction of this event-loop turn may have begun before the commit: readers must not find nothing there.
    this.#records.resetReadTxn();
    this.growth.wake();
  }

  /** Up to `limit` offsets of records kept, from `from` on. */
  offsets(from: number, limit: number): number[] {
    const range = { start: recordKey(this.topic, this.partition, from), end: this.#endKey, limit };
    return [...this.#records.getKeys(range)].map(offsetOf);
  }

  read(from: number, limits: ReadLimits): LogRecord[] {
    const range = {
      start: recordKey(this.topic, this.partition, from),
      end: recordKey(this.topic, this.partition, this.#end),
      limit: limits.records,
      versions: true,
    };
    const batch: LogRecord[] = [];
    let bytes = 0;
    for (const { key, value, version } of this.#records.getRange(range)) {
      const opened = openRecord(version ?? 0, value);
      bytes += opened.value.length;
      if (batch.length > 0 && bytes > limits.bytes) break;
      batch.push({ partition: this.partition, offset: offsetOf(key), ...opened });
    }
    return batch;
  }
}
