import { roomFor } from "./room.ts";

const FIRST_ROOM = 64;

/**
 * The slots that wait for a moment, earliest first: a binary heap with one entry a slot at most, so that it never
 * outgrows the signals. Equal moments stand in the order of `before`, which must not depend on slot numbers: those
 * differ between a replay and a restored snapshot.
 */
export class DueHeap {
  #size = 0;
  #heap = new Int32Array(FIRST_ROOM);
  /** By slot: where it stands in the heap, -1 if it does not. */
  #positions = new Int32Array(FIRST_ROOM).fill(-1);
  #dues = new Float64Array(FIRST_ROOM);
  readonly #before: (slot: number, other: number) => boolean;

  constructor(before: (slot: number, other: number) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#size;
  }

  has(slot: number): boolean {
    return (this.#positions[slot] ?? -1) >= 0;
  }

  /** The slot that is due first, if it is due at `now`, else -1. */
  firstDue(now: number): number {
    const first = this.#heap[0] ?? -1;
    return this.#size > 0 && this.dueOf(first) <= now ? first : -1;
  }

  dueNow(slot: number, now: number): boolean {
    return this.has(slot) && this.dueOf(slot) <= now;
  }

  dueOf(slot: number): number {
    return this.#dues[slot] ?? Number.POSITIVE_INFINITY;
  }

  /** Queues the slot, or moves it to another moment. */
  set(slot: number, due: number): void {
    this.#makeRoom(slot);
    this.#dues[slot] = due;
    let position = this.#positions[slot] ?? -1;
    if (position < 0) {
      position = this.#size++;
      this.#put(slot, position);
    }
    this.#sink(this.#rise(position));
  }

  remove(slot: number): void {
    const position = this.#positions[slot] ?? -1;
    if (position < 0) return;
    this.#positions[slot] = -1;
    const last = this.#heap[--this.#size] ?? -1;
    if (last === slot) return;
    this.#put(last, position);
    this.#sink(this.#rise(position));
  }

  #put(slot: number, position: number): void {
    this.#heap[position] = slot;
    this.#positions[slot] = position;
  }

  #isBefore(slot: number, other: number): boolean {
    const due = this.dueOf(slot);
    const otherDue = this.dueOf(other);
    return due < otherDue || (due === otherDue && this.#before(slot, other));
  }

  #rise(from: number): number {
    const slot = this.#heap[from] ?? -1;
    let position = from;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      const above = this.#heap[parent] ?? -1;
      if (!this.#isBefore(slot, above)) break;
      this.#put(above, position);
      position = parent;
    }
    this.#put(slot, position);
    return position;
  }

  #sink(from: number): void {
    const slot = this.#heap[from] ?? -1;
    let position = from;
    for (let child = 2 * position + 1; child < this.#size; child = 2 * position + 1) {
      const left = this.#heap[child] ?? -1;
      const right = this.#heap[child + 1] ?? -1;
      const below = child + 1 < this.#size && this.#isBefore(right, left) ? right : left;
      if (!this.#isBefore(below, slot)) break;
      const freed = this.#positions[below] ?? -1;
      this.#put(below, position);
      position = freed;
    }
    this.#put(slot, position);
  }

  #makeRoom(slot: number): void {
    if (slot < this.#positions.length) return;
    const room = roomFor(slot + 1, this.#positions.length);
    const positions = new Int32Array(room).fill(-1);
    positions.set(this.#positions);
    this.#positions = positions;
    const dues = new Float64Array(room);
    dues.set(this.#dues);
    this.#dues = dues;
    const heap = new Int32Array(room);
    heap.set(this.#heap);
    this.#heap = heap;
  }
}
