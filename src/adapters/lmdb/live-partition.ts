import type { LogRecord } from "../../domain/log-record.ts";
import type { Clock } from "../../ports/clock.ts";
import { LIVE_RETENTION_MS, type NewRecord } from "../../ports/event-log.ts";
import type { ReadLimits } from "../event-log/read-limits.ts";
import { WaitingList } from "../event-log/waiting-list.ts";
import type { Partition } from "./partition.ts";

/** Held in memory at most, seconds of what 100,000 signals tell; beyond it the oldest go. */
const LIVE_BYTES_MAX = 16 * 2 ** 20;
const RECORD_OVERHEAD_BYTES = 128;

const bytesOf = (record: LogRecord): number => record.value.length + RECORD_OVERHEAD_BYTES;

/**
 * A partition of topic `live`: in memory, for 60 s and at most 16 MiB. It begins at offset 0 again with each start of
 * the process, so nothing may remember its offsets for longer.
 */
export class LivePartition implements Partition {
  readonly partition: number;
  readonly growth = new WaitingList();
  readonly #clock: Clock;
  /** Records from `#first` on are kept; the places before it wait to be dropped in one go. */
  #records: (LogRecord | undefined)[] = [];
  #first = 0;
  #end = 0;
  #bytes = 0;
  #lastAppendedAt = 0;

  constructor(partition: number, clock: Clock) {
    this.partition = partition;
    this.#clock = clock;
  }

  get end(): number {
    return this.#end;
  }

  get earliest(): number {
    this.#expire();
    return this.#end - (this.#records.length - this.#first);
  }

  append(record: NewRecord): { offset: number; appendedAt: number } {
    this.#lastAppendedAt = Math.max(this.#clock.now(), this.#lastAppendedAt);
    const kept: LogRecord = {
      partition: this.partition,
      offset: this.#end++,
      appendedAt: this.#lastAppendedAt,
      key: record.key ?? null,
      headers: { ...record.headers },
      value: Uint8Array.prototype.slice.call(record.value),
    };
    this.#records.push(kept);
    this.#bytes += bytesOf(kept);
    this.#expire();
    this.growth.wake();
    return { offset: kept.offset, appendedAt: kept.appendedAt };
  }

  read(from: number, limits: ReadLimits): LogRecord[] {
    const start = this.#first + Math.max(0, from - this.earliest);
    const batch: LogRecord[] = [];
    let bytes = 0;
    for (let i = start; i < this.#records.length && batch.length < limits.records; i++) {
      const record = this.#records[i];
      if (record === undefined) break;
      bytes += record.value.length;
      if (batch.length > 0 && bytes > limits.bytes) break;
      batch.push(record);
    }
    return batch;
  }

  trim(before: number): void {
    while (this.#oldest() !== undefined && this.#end - this.#kept() < before) this.#drop();
    this.#compact();
  }

  #kept(): number {
    return this.#records.length - this.#first;
  }

  #oldest(): LogRecord | undefined {
    return this.#records[this.#first];
  }

  #drop(): void {
    const oldest = this.#oldest();
    if (oldest === undefined) return;
    this.#bytes -= bytesOf(oldest);
    this.#records[this.#first++] = undefined;
  }

  #expire(): void {
    const expiredBefore = this.#clock.now() - LIVE_RETENTION_MS;
    for (let oldest = this.#oldest(); oldest !== undefined; oldest = this.#oldest()) {
      if (oldest.appendedAt >= expiredBefore && this.#bytes <= LIVE_BYTES_MAX) break;
      this.#drop();
    }
    this.#compact();
  }

  /** Each record is moved at most once for every one dropped. */
  #compact(): void {
    if (this.#first * 2 <= this.#records.length) return;
    this.#records = this.#records.slice(this.#first);
    this.#first = 0;
  }
}
