import type { LogRecord } from "../../domain/log-record.ts";
import type { ReadLimits } from "../event-log/read-limits.ts";
import type { WaitingList } from "../event-log/waiting-list.ts";

/** What reading needs of a partition, be it stored or in memory. */
export interface Partition {
  readonly partition: number;
  /** Offset of the oldest record kept; `end` when there is none. */
  readonly earliest: number;
  /** One past the newest record that may be read. */
  readonly end: number;
  readonly growth: WaitingList;
  /** Records from `from` on, in order; none when nothing is kept there. At least one if there is any. */
  read(from: number, limits: ReadLimits): LogRecord[];
}

/** A place in a partition that moves forward batch by batch, over whatever was trimmed or compacted away. */
export class Position {
  readonly #partition: Partition;
  #next: number;

  constructor(partition: Partition, from: number) {
    this.#partition = partition;
    this.#next = Math.max(from, partition.earliest);
  }

  /** Records that are there and not yet read. */
  get lag(): number {
    return Math.max(0, this.#partition.end - this.#next);
  }

  /** The next records that are there now; none at the end. */
  here(limits: ReadLimits): readonly LogRecord[] {
    const end = this.#partition.end;
    const batch = this.#next < end ? this.#partition.read(this.#next, limits) : [];
    const last = batch.at(-1);
    // Everything up to the end may have been trimmed or compacted away.
    this.#next = last === undefined ? Math.max(this.#next, end) : last.offset + 1;
    return batch;
  }

  /** The next records, waiting for some; none only when the signal aborts. */
  async next(limits: ReadLimits, signal: AbortSignal): Promise<readonly LogRecord[]> {
    while (!signal.aborted) {
      const batch = this.here(limits);
      if (batch.length > 0) return batch;
      if (this.lag === 0) await this.#partition.growth.wait(signal);
    }
    return [];
  }
}
