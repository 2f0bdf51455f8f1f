import type { LiveColumns } from "../../live/live-store.ts";
import { worstFirst } from "../../live/worst-first.ts";

/** Cells that change places all the time could not be pointed at; at first many come that have no place yet. */
const SORT_EVERY_MS = 2_000;
const SORT_AT_FIRST_MS = 50;
/** Nor could one that changes places while somebody is about to press it. */
const HOLD_MS = 4_000;

/** In which order the wall shows signals: the worst first, sorted anew so often that they can still be pointed at. */
export class WallOrder {
  #places: Uint32Array = new Uint32Array();
  #sortedMs = Number.NEGATIVE_INFINITY;
  #nextMs = SORT_AT_FIRST_MS;
  #heldUntilMs = Number.NEGATIVE_INFINITY;

  /** Of each time that they are sorted another array. */
  get places(): Uint32Array {
    return this.#places;
  }

  /** Somebody points at a cell now, or has come to one by keys. */
  hold(nowMs: number): void {
    this.#heldUntilMs = nowMs + HOLD_MS;
  }

  /** Sorts if it is time: in a pause no cell moves, which is what people pause for that want to point at one. */
  renew(columns: LiveColumns, nowMs: number, isPaused: boolean): void {
    const isDue = nowMs - this.#sortedMs > this.#nextMs && nowMs > this.#heldUntilMs && !isPaused;
    if (this.#places.length > 0 && !isDue) return;
    this.#places = worstFirst(columns);
    this.#sortedMs = nowMs;
    this.#nextMs = this.#places.length === 0 ? SORT_AT_FIRST_MS : Math.min(SORT_EVERY_MS, this.#nextMs * 2);
  }
}
