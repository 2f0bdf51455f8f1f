import type { LogRecord } from "../../domain/log-record.ts";
import type { ReadLimits } from "../event-log/read-limits.ts";
import { WaitingList } from "../event-log/waiting-list.ts";
import { batchLength } from "./slices.ts";

/** Room for more is told again when a quarter of the limit is free. */
const ROOM_AGAIN_AT = 0.75;
/** Of the memory that a batch came in, records keep all: a small part of it is rather copied, if it has to wait. */
const COPIED_BELOW = 0.25;

/** The records' values on their own, where they would keep much more memory than they use. */
const detached = (records: readonly LogRecord[], bytes: number): readonly LogRecord[] => {
  const memory = records[0]?.value.buffer.byteLength ?? 0;
  if (bytes >= memory * COPIED_BELOW) return records;
  return records.map((record) => ({ ...record, value: Uint8Array.prototype.slice.call(record.value) }));
};

/** Records of one partition between Kafka and their consumer: in order, from one offset on, a few MiB at most. */
export class Feed {
  readonly #limitBytes: number;
  readonly #roomAgain: () => void;
  readonly #growth = new WaitingList();
  readonly #room = new WaitingList();
  #queue: LogRecord[] = [];
  #bytes = 0;
  #next: number;
  #full = false;
  /** The consumer has done with all that came before. */
  #awaited = false;

  /** `roomAgain` is called each time there is room after the feed was full. */
  constructor(from: number, limitBytes: number, roomAgain: () => void) {
    this.#next = from;
    this.#limitBytes = limitBytes;
    this.#roomAgain = roomAgain;
  }

  /** The offset that Kafka is to go on with. */
  get next(): number {
    return this.#next;
  }
  /** The offset that the consumer goes on with. */
  get position(): number {
    return this.#queue[0]?.offset ?? this.#next;
  }
  /** What waits for the consumer. */
  get bytes(): number {
    return this.#bytes;
  }
  get full(): boolean {
    return this.#full;
  }

  /** Takes what is new of these records. */
  push(records: readonly LogRecord[]): void {
    const fresh = records.filter(({ offset }) => offset >= this.#next);
    const last = fresh.at(-1);
    if (last === undefined) return;
    const bytes = fresh.reduce((sum, { value }) => sum + value.length, 0);
    for (const record of this.#awaited ? fresh : detached(fresh, bytes)) this.#queue.push(record);
    this.#awaited = false;
    this.#bytes += bytes;
    this.#next = last.offset + 1;
    if (this.#bytes >= this.#limitBytes) this.#full = true;
    this.#growth.wake();
  }

  /** The next batch, waiting for one; none only when the signal aborts. */
  async take(limits: ReadLimits, signal: AbortSignal): Promise<readonly LogRecord[]> {
    this.#awaited = this.#queue.length === 0;
    while (this.#queue.length === 0 && !signal.aborted) await this.#growth.wait(signal);
    if (signal.aborted) return [];
    const batch = this.#queue.splice(0, batchLength(this.#queue, 0, limits));
    for (const { value } of batch) this.#bytes -= value.length;
    if (this.#full && this.#bytes <= this.#limitBytes * ROOM_AGAIN_AT) this.#empty();
    return batch;
  }

  /** Resolves when there is room, or when the signal aborts. */
  async whenRoom(signal: AbortSignal): Promise<void> {
    while (this.#full && !signal.aborted) await this.#room.wait(signal);
  }

  #empty(): void {
    this.#full = false;
    this.#room.wake();
    this.#roomAgain();
  }
}
