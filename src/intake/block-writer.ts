import { BLOCK_LINGER_MS } from "../domain/reading-line.ts";
import type { OutgoingRecord } from "../domain/records.ts";
import type { Clock } from "../ports/clock.ts";
import type { BackPressure } from "./back-pressure.ts";
import { BlockPool, type Contributor, OpenBlock, type SealedRecord } from "./open-block.ts";
import type { SignalRef } from "./signal-cache.ts";

const NOBODY: ReadonlyMap<Contributor, number> = new Map();

/**
 * Lines go into the open block of their partition. A block is sealed when it is full, or when it has lingered and the
 * appender is free: while an append runs, open blocks go on filling instead of multiplying.
 */
export class BlockWriter {
  readonly #clock: Clock;
  readonly #pressure: BackPressure;
  readonly #pool = new BlockPool();
  readonly #open: (OpenBlock | null)[];
  #sealed: SealedRecord[] = [];
  #cancelLinger: (() => void) | null = null;
  #lingered = false;
  #ready: () => void = () => undefined;

  constructor(options: { partitions: number; clock: Clock; pressure: BackPressure }) {
    this.#clock = options.clock;
    this.#pressure = options.pressure;
    this.#open = new Array<OpenBlock | null>(options.partitions).fill(null);
  }

  /** `ready` is called when `take` would give something. */
  onReady(ready: () => void): void {
    this.#ready = ready;
  }

  /** `atMs` and `strength` must be valid (domain/mapping/validity.ts). */
  write(signal: SignalRef, atMs: number, strength: number, contributor: Contributor): void {
    const block = this.#open[signal.partition] ?? this.#openBlock(signal.partition);
    block.write(signal, atMs, strength, contributor);
    if (!block.full) return;
    this.#seal(block);
    this.#ready();
  }

  /** Goes to the log ahead of every line that is written after this call. */
  change({ partition = 0, headers = {}, value }: OutgoingRecord): void {
    this.#push({ partition, headers, value, lines: 0, contributions: NOBODY, buffer: null });
    this.#startLinger();
  }

  /** Records in order, up to about `bytesMax`; open blocks only if they have lingered, or if `all` is asked for. */
  take(bytesMax: number, all = false): SealedRecord[] {
    if (this.#lingered || all) this.#sealOpen();
    let bytes = 0;
    let count = 0;
    while (count < this.#sealed.length && bytes < bytesMax) bytes += this.#sealed[count++]?.value.length ?? 0;
    const taken = this.#sealed.slice(0, count);
    this.#sealed = this.#sealed.slice(count);
    return taken;
  }

  /** The record has settled: its bytes no longer count, and its buffer is used again. */
  settled(record: SealedRecord): void {
    this.#pressure.give(record.value.length);
    if (record.buffer !== null) this.#pool.give(record.buffer);
  }

  /** Records that were taken and not appended go ahead of all others again. */
  putBack(records: readonly SealedRecord[]): void {
    this.#sealed = [...records, ...this.#sealed];
  }

  stop(): void {
    this.#cancelLinger?.();
  }

  #openBlock(partition: number): OpenBlock {
    const block = new OpenBlock(partition, this.#pool.take());
    this.#open[partition] = block;
    this.#startLinger();
    return block;
  }

  #startLinger(): void {
    if (this.#cancelLinger !== null || this.#lingered) return;
    this.#cancelLinger = this.#clock.after(BLOCK_LINGER_MS, () => {
      this.#cancelLinger = null;
      this.#lingered = true;
      this.#ready();
    });
  }

  #sealOpen(): void {
    this.#lingered = false;
    for (const block of this.#open) if (block !== null) this.#seal(block);
  }

  #seal(block: OpenBlock): void {
    this.#open[block.partition] = null;
    this.#push(block.seal());
  }

  #push(record: SealedRecord): void {
    this.#sealed.push(record);
    this.#pressure.take(record.value.length);
  }
}
