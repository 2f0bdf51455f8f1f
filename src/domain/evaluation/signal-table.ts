import { roomFor } from "./room.ts";

const WORDS = 7;
const FIRST_ROOM = 256;
const ID_BYTES = 30;

/** Where in an id the 26 characters behind `sig_` lie as seven 32-bit words; the last one overlaps, so that nothing is left over. */
export const WORD_AT = [4, 8, 12, 16, 20, 24, 26] as const;

const mixed = (hash: number, word: number): number => {
  const product = Math.imul(hash ^ word, 0x9e3779b1);
  return product ^ (product >>> 15);
};

const hashAt = (view: DataView, start: number): number => {
  let hash = 0;
  for (const at of WORD_AT) hash = mixed(hash, view.getInt32(start + at, true));
  return hash;
};

/**
 * From a signal id, as bytes in a block, to its slot: open addressing with linear probing, at most half full.
 * No string is made on the way of a reading.
 */
export class SignalTable {
  #buckets = new Int32Array(FIRST_ROOM * 2).fill(-1);
  #words = new Int32Array(FIRST_ROOM * WORDS);
  #size = 0;
  readonly #idBytes = new Uint8Array(ID_BYTES);
  readonly #idView = new DataView(this.#idBytes.buffer);

  /** The slot of the id whose 30 bytes begin at `start`, or -1. */
  find(view: DataView, start: number): number {
    const mask = this.#buckets.length - 1;
    for (let at = hashAt(view, start) & mask; ; at = (at + 1) & mask) {
      const slot = this.#buckets[at] ?? -1;
      if (slot < 0 || this.#equals(slot, view, start)) return slot;
    }
  }

  findId(id: string): number {
    return this.find(this.#encoded(id), 0);
  }

  add(id: string, slot: number): void {
    this.addAt(this.#encoded(id), 0, slot);
  }

  /** The id whose 30 bytes begin at `start`. */
  addAt(view: DataView, start: number, slot: number): void {
    this.#makeRoom(slot);
    for (let i = 0; i < WORDS; i++)
      this.#words[slot * WORDS + i] = view.getInt32(start + (WORD_AT[i] ?? 0), true);
    this.#place(slot);
    this.#size++;
  }

  remove(id: string): void {
    let hole = this.#bucketOf(id);
    if (hole < 0) return;
    this.#size--;
    // Backward shift: what probed past the hole moves into it, so that no marker of a deletion ever stays.
    const mask = this.#buckets.length - 1;
    for (let at = (hole + 1) & mask; ; at = (at + 1) & mask) {
      const slot = this.#buckets[at] ?? -1;
      if (slot < 0) break;
      const home = this.#hashOf(slot) & mask;
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        this.#buckets[hole] = slot;
        hole = at;
      }
    }
    this.#buckets[hole] = -1;
  }

  #hashOf(slot: number): number {
    let hash = 0;
    for (let i = slot * WORDS; i < (slot + 1) * WORDS; i++) hash = mixed(hash, this.#words[i] ?? 0);
    return hash;
  }

  #equals(slot: number, view: DataView, start: number): boolean {
    const base = slot * WORDS;
    for (let i = WORDS - 1; i >= 0; i--) {
      if (this.#words[base + i] !== view.getInt32(start + (WORD_AT[i] ?? 0), true)) return false;
    }
    return true;
  }

  #bucketOf(id: string): number {
    const view = this.#encoded(id);
    const mask = this.#buckets.length - 1;
    for (let at = hashAt(view, 0) & mask; ; at = (at + 1) & mask) {
      const slot = this.#buckets[at] ?? -1;
      if (slot < 0) return -1;
      if (this.#equals(slot, view, 0)) return at;
    }
  }

  #encoded(id: string): DataView {
    for (let i = 0; i < ID_BYTES; i++) this.#idBytes[i] = id.charCodeAt(i);
    return this.#idView;
  }

  #place(slot: number): void {
    const mask = this.#buckets.length - 1;
    let at = this.#hashOf(slot) & mask;
    while ((this.#buckets[at] ?? -1) >= 0) at = (at + 1) & mask;
    this.#buckets[at] = slot;
  }

  #makeRoom(slot: number): void {
    const room = this.#words.length / WORDS;
    if (slot >= room) {
      const grown = new Int32Array(roomFor(slot + 1, room) * WORDS);
      grown.set(this.#words);
      this.#words = grown;
    }
    if ((this.#size + 1) * 2 <= this.#buckets.length) return;
    const slots = this.#buckets.filter((occupant) => occupant >= 0);
    this.#buckets = new Int32Array(this.#buckets.length * 2).fill(-1);
    for (const occupant of slots) this.#place(occupant);
  }
}
