import type { Extract } from "./content.ts";

/** A record that gives nothing still has its place in the buffer. */
const ENTRY_BYTES = 100;

interface Entry<Row> extends Extract<Row> {
  readonly offset: number;
  readonly arrivedAt: number;
}

/** Consecutive records of one partition that wait to be inserted: all of [first offset wanted, `next`). */
export class RangeBuffer<Row> {
  #entries: Entry<Row>[] = [];
  #bytes = 0;
  #next: number;

  /** `start`: the first offset wanted; records below are left alone. */
  constructor(start: number) {
    this.#next = start;
  }

  /** The offset after the last record seen. */
  get next(): number {
    return this.#next;
  }
  get bytes(): number {
    return this.#bytes;
  }

  /** When the oldest record came that gives rows; null when there is none. */
  get rowsSince(): number | null {
    return this.#entries.find(({ count }) => count > 0)?.arrivedAt ?? null;
  }
  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Gives what the record weighs here. */
  push(offset: number, { rows, count, bytes }: Extract<Row>, arrivedAt: number): number {
    const weight = bytes + ENTRY_BYTES;
    this.#entries.push({ offset, arrivedAt, rows, count, bytes: weight });
    this.#bytes += weight;
    this.#next = offset + 1;
    return weight;
  }

  /** What the records below `end` give. */
  below(end: number): { rows: Row[]; count: number } {
    const entries = this.#entries.filter(({ offset }) => offset < end);
    return {
      rows: entries.flatMap(({ rows }) => rows),
      count: entries.reduce((sum, { count }) => sum + count, 0),
    };
  }

  /** Forgets the records below `offset`, and wants none of them any more; gives their bytes. */
  drop(offset: number): number {
    const kept = this.#entries.filter((entry) => entry.offset >= offset);
    const keptBytes = kept.reduce((sum, { bytes }) => sum + bytes, 0);
    const dropped = this.#bytes - keptBytes;
    this.#entries = kept;
    this.#bytes = keptBytes;
    this.#next = Math.max(this.#next, offset);
    return dropped;
  }

  clear(): number {
    const dropped = this.#bytes;
    this.#entries = [];
    this.#bytes = 0;
    return dropped;
  }
}
