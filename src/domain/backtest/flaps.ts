import { FLAP_CHANGES, FLAP_SPAN_MS } from "../evaluation/flaps.ts";

/** Counts changes, oldest first, and notices when too many come within a while. */
export class FlapCounter {
  /** Times of the newest changes, at their number modulo their count. */
  readonly #newest = new Float64Array(FLAP_CHANGES).fill(Number.NEGATIVE_INFINITY);
  changes = 0;
  /** Unix ms of the first change, NaN before. */
  firstMs = Number.NaN;
  /** Whether there ever were too many within ten minutes. */
  isFlapping = false;

  add(atMs: number): void {
    if (this.changes === 0) this.firstMs = atMs;
    const at = this.changes % this.#newest.length;
    this.#newest[at] = atMs;
    this.changes++;
    const oldest = this.#newest[(at + 1) % this.#newest.length] ?? Number.NEGATIVE_INFINITY;
    if (atMs - oldest <= FLAP_SPAN_MS) this.isFlapping = true;
  }
}
