import { SignalTable, WORD_AT } from "./evaluation/signal-table.ts";
import { SIGNAL_ID_LENGTH } from "./plain-line.ts";

const FIRST_ROOM = 256;

/** Ids of signals, each in a slot of its own, numbered from 0 as they are first seen. */
export class SignalIds {
  readonly #table = new SignalTable();
  #view = new DataView(new ArrayBuffer(FIRST_ROOM * SIGNAL_ID_LENGTH));
  #size = 0;
  #order: Uint32Array = new Uint32Array(0);

  get size(): number {
    return this.#size;
  }

  /** The slot of the valid id that begins at `start`. */
  slotOf(view: DataView, start: number): number {
    const slot = this.#table.find(view, start);
    return slot < 0 ? this.#add(view, start) : slot;
  }

  /** The 30 bytes of an id; valid until the next one is added. */
  bytesOf(slot: number): Uint8Array {
    return new Uint8Array(this.#view.buffer, slot * SIGNAL_ID_LENGTH, SIGNAL_ID_LENGTH);
  }

  /** All slots, in the order of their ids as bytes. What has been ordered once is only merged with what came since. */
  inOrder(): Uint32Array {
    if (this.#order.length < this.#size) {
      const fresh = Uint32Array.from(
        { length: this.#size - this.#order.length },
        (_, i) => this.#order.length + i,
      );
      this.#order = this.#merged(
        this.#order,
        fresh.sort((a, b) => this.#compare(a, b)),
      );
    }
    return this.#order;
  }

  #add(view: DataView, start: number): number {
    const slot = this.#size++;
    if (this.#size * SIGNAL_ID_LENGTH > this.#view.byteLength) {
      const room = new Uint8Array(this.#view.byteLength * 2);
      room.set(new Uint8Array(this.#view.buffer));
      this.#view = new DataView(room.buffer);
    }
    this.bytesOf(slot).set(new Uint8Array(view.buffer, view.byteOffset + start, SIGNAL_ID_LENGTH));
    this.#table.addAt(view, start, slot);
    return slot;
  }

  #compare(a: number, b: number): number {
    for (const at of WORD_AT) {
      const first = this.#view.getUint32(a * SIGNAL_ID_LENGTH + at);
      const second = this.#view.getUint32(b * SIGNAL_ID_LENGTH + at);
      if (first !== second) return first - second;
    }
    return 0;
  }

  #merged(old: Uint32Array, fresh: Uint32Array): Uint32Array {
    const merged = new Uint32Array(old.length + fresh.length);
    let [i, j] = [0, 0];
    for (let at = 0; at < merged.length; at++) {
      const [left, right] = [old[i], fresh[j]];
      const takeLeft = left !== undefined && (right === undefined || this.#compare(left, right) < 0);
      merged[at] = (takeLeft ? left : right) ?? 0;
      if (takeLeft) i++;
      else j++;
    }
    return merged;
  }
}
