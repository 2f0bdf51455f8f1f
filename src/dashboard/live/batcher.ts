import type { LiveBatch } from "./messages.ts";

const SIGNALS_AT_FIRST = 1_024;

const grown = <T extends Float32Array | Float64Array | Uint8Array>(array: T, larger: T): T => {
  larger.set(array);
  return larger;
};

/** The newest value of each signal since the last batch was taken. */
export class Batcher {
  #strength = new Float32Array(SIGNALS_AT_FIRST);
  #quality = new Float32Array(SIGNALS_AT_FIRST);
  #status = new Uint8Array(SIGNALS_AT_FIRST);
  #at = new Float64Array(SIGNALS_AT_FIRST);
  #isChanged = new Uint8Array(SIGNALS_AT_FIRST);
  readonly #changed: number[] = [];

  add(place: number, strength: number, quality: number, status: number, at: number): void {
    if (place >= this.#at.length) this.#grow(place + 1);
    if (this.#isChanged[place] === 0) {
      this.#isChanged[place] = 1;
      this.#changed.push(place);
    }
    this.#strength[place] = strength;
    this.#quality[place] = quality;
    this.#status[place] = status;
    this.#at[place] = at;
  }

  /** Null: nothing has changed. */
  take(): LiveBatch | null {
    const count = this.#changed.length;
    if (count === 0) return null;
    const batch = {
      kind: "readings",
      place: Uint32Array.from(this.#changed),
      strength: new Float32Array(count),
      quality: new Float32Array(count),
      status: new Uint8Array(count),
      at: new Float64Array(count),
    } as const;
    this.#changed.forEach((place, n) => {
      batch.strength[n] = this.#strength[place] ?? 0;
      batch.quality[n] = this.#quality[place] ?? 0;
      batch.status[n] = this.#status[place] ?? 0;
      batch.at[n] = this.#at[place] ?? 0;
      this.#isChanged[place] = 0;
    });
    this.#changed.length = 0;
    return batch;
  }

  #grow(needed: number): void {
    const size = Math.max(needed, this.#at.length * 2);
    this.#strength = grown(this.#strength, new Float32Array(size));
    this.#quality = grown(this.#quality, new Float32Array(size));
    this.#status = grown(this.#status, new Uint8Array(size));
    this.#at = grown(this.#at, new Float64Array(size));
    this.#isChanged = grown(this.#isChanged, new Uint8Array(size));
  }
}
