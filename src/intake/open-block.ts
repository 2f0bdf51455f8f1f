import { writeReading } from "../domain/line-writer.ts";
import { BLOCK_BYTES_MAX, BLOCK_LINES_MAX, LINE_BYTES_MAX } from "../domain/reading-line.ts";
import type { Span } from "./byte-slab.ts";

/** Whoever brought a reading: told when it is durable, or that it never will be. */
export interface Contributor {
  accepted(readings: number): void;
  refused(readings: number, error: unknown): void;
}

/** A record ready for the log; a change has no contributors. */
export interface SealedRecord {
  readonly partition: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly value: Uint8Array;
  readonly lines: number;
  readonly contributions: ReadonlyMap<Contributor, number>;
  /** The whole buffer behind `value`, to be used again. */
  readonly buffer: Uint8Array | null;
}

const POOLED_BUFFERS_MAX = 64;

/** Buffers of one block each, used again so that the garbage collector never sees them. */
export class BlockPool {
  readonly #free: Uint8Array[] = [];

  take(): Uint8Array {
    return this.#free.pop() ?? new Uint8Array(BLOCK_BYTES_MAX);
  }

  give(buffer: Uint8Array): void {
    if (this.#free.length < POOLED_BUFFERS_MAX) this.#free.push(buffer);
  }
}

/** The block of a partition that lines are being written to. */
export class OpenBlock {
  readonly partition: number;
  readonly #buffer: Uint8Array;
  #length = 0;
  #lines = 0;
  readonly #contributions = new Map<Contributor, number>();
  // Lines come in runs of one source: the run is counted here, and the map touched once a run.
  #runner: Contributor | null = null;
  #run = 0;

  constructor(partition: number, buffer: Uint8Array) {
    this.partition = partition;
    this.#buffer = buffer;
  }

  get full(): boolean {
    return this.#lines === BLOCK_LINES_MAX || this.#length + LINE_BYTES_MAX > this.#buffer.length;
  }

  write(prefix: Span, atMs: number, strength: number, contributor: Contributor): void {
    const { bytes, start, end } = prefix;
    const block = this.#buffer;
    let at = this.#length;
    // Of so few bytes, a loop is quicker than a copy of the engine's.
    for (let from = start; from < end; from++) block[at++] = bytes[from] ?? 0;
    this.#length = writeReading(block, at, atMs, strength);
    this.#lines++;
    if (contributor === this.#runner) this.#run++;
    else this.#startRun(contributor);
  }

  seal(): SealedRecord {
    this.#endRun();
    return {
      partition: this.partition,
      value: this.#buffer.subarray(0, this.#length),
      lines: this.#lines,
      contributions: this.#contributions,
      buffer: this.#buffer,
    };
  }

  #startRun(contributor: Contributor): void {
    this.#endRun();
    this.#runner = contributor;
    this.#run = 1;
  }

  #endRun(): void {
    if (this.#runner === null) return;
    this.#contributions.set(this.#runner, (this.#contributions.get(this.#runner) ?? 0) + this.#run);
    this.#runner = null;
  }
}
