import { roomFor } from "./room.ts";

/** Slots that wait, first come first served, each at most once: so it takes no more room than there are slots. */
export class SlotQueue {
  #isWaiting = new Uint8Array(64);
  /** A ring as long as `#isWaiting`. */
  #ring = new Int32Array(64);
  #first = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** How many slots there is room for, waiting or not. */
  get capacity(): number {
    return this.#ring.length;
  }

  /** Nothing for one that waits already. */
  add(slot: number): void {
    if (this.#isWaiting[slot] === 1) return;
    if (slot >= this.#ring.length) this.#grow(slot + 1);
    this.#isWaiting[slot] = 1;
    this.#ring[(this.#first + this.#size++) % this.#ring.length] = slot;
  }

  /** The slot that has waited longest; -1 for none. */
  take(): number {
    if (this.#size === 0) return -1;
    const slot = this.#ring[this.#first] ?? -1;
    this.#first = (this.#first + 1) % this.#ring.length;
    this.#size--;
    this.#isWaiting[slot] = 0;
    return slot;
  }

  #grow(atLeast: number): void {
    const length = roomFor(atLeast, this.#ring.length);
    const ring = new Int32Array(length);
    for (let i = 0; i < this.#size; i++) ring[i] = this.#ring[(this.#first + i) % this.#ring.length] ?? -1;
    const isWaiting = new Uint8Array(length);
    isWaiting.set(this.#isWaiting);
    this.#ring = ring;
    this.#isWaiting = isWaiting;
    this.#first = 0;
  }
}
