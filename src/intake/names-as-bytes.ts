import { ByteSlab, type Span } from "./byte-slab.ts";
import type { SignalRef } from "./signal-cache.ts";

const FIRST_ROOM = 256;
/** Names may be anybody's choice: one that would lie further from its place is not kept. */
const PROBES_MAX = 16;

interface Entry extends Span {
  readonly hash: number;
  signal: SignalRef | null;
}

const isNamed = (name: Span, bytes: Uint8Array, start: number, end: number): boolean => {
  const own = name.bytes;
  const length = end - start;
  if (name.end - name.start !== length) return false;
  for (let i = 0; i < length; i++) if (own[name.start + i] !== bytes[start + i]) return false;
  return true;
};

/** Signals by the bytes of their names, so that the way of a reading makes no string. Knows some of what is known. */
export class NamesAsBytes {
  readonly #seed: number;
  readonly #slab: ByteSlab;
  #buckets: (Entry | undefined)[] = new Array<Entry | undefined>(FIRST_ROOM).fill(undefined);
  #size = 0;

  /** `seed`: any number that a sender does not know. */
  constructor(seed: number, slab = new ByteSlab()) {
    this.#seed = seed | 0;
    this.#slab = slab;
  }

  find(bytes: Uint8Array, start: number, end: number): SignalRef | undefined {
    return this.#entry(bytes, start, end)?.signal ?? undefined;
  }

  set(name: Uint8Array, signal: SignalRef): void {
    const known = this.#entry(name, 0, name.length);
    if (known !== undefined) {
      known.signal = signal;
      return;
    }
    const { bytes, start, end } = this.#slab.keep(name);
    this.#add({ hash: this.#hash(name, 0, name.length), bytes, start, end, signal });
  }

  /** Its place is used again when there is more room. */
  delete(name: Uint8Array): void {
    const entry = this.#entry(name, 0, name.length);
    if (entry !== undefined) entry.signal = null;
  }

  #entry(bytes: Uint8Array, start: number, end: number): Entry | undefined {
    const hash = this.#hash(bytes, start, end);
    const mask = this.#buckets.length - 1;
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const entry = this.#buckets[(hash + probe) & mask];
      if (entry === undefined) return undefined;
      if (entry.hash === hash && isNamed(entry, bytes, start, end)) return entry;
    }
    return undefined;
  }

  #add(entry: Entry): void {
    if ((this.#size + 1) * 2 > this.#buckets.length) this.#rebuild();
    if (this.#place(entry)) this.#size++;
  }

  #place(entry: Entry): boolean {
    const mask = this.#buckets.length - 1;
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const at = (entry.hash + probe) & mask;
      if (this.#buckets[at] !== undefined) continue;
      this.#buckets[at] = entry;
      return true;
    }
    return false;
  }

  /** Without those that were deleted; twice the room if that is not enough. */
  #rebuild(): void {
    const live = this.#buckets.filter((entry) => entry !== undefined && entry.signal !== null);
    const room = live.length * 4 > this.#buckets.length ? this.#buckets.length * 2 : this.#buckets.length;
    this.#buckets = new Array<Entry | undefined>(room).fill(undefined);
    this.#size = 0;
    for (const entry of live) if (entry !== undefined && this.#place(entry)) this.#size++;
  }

  #hash(bytes: Uint8Array, start: number, end: number): number {
    let hash = this.#seed;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x9e3779b1) ^ (hash >>> 15);
    return hash ^ (hash >>> 13);
  }
}
