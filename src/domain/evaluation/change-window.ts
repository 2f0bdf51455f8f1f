import type { Condition } from "../../../schemas/condition.ts";
import { CHANGE_STEPS } from "./compiled-rule.ts";

const SLOTS = CHANGE_STEPS + 1;
/** A slot of lowest and highest value without a reading. */
const NO_LOW = Number.POSITIVE_INFINITY;
const NO_HIGH = Number.NEGATIVE_INFINITY;

/** What a window held, for a snapshot; null: no reading in that step. */
export type WindowRow = [step: number, movement: number, lowsAndHighs: (number | null)[]];

/**
 * How far a value has moved within the last while: the lowest and the highest of the present step of time and of the
 * twelve before it, so that memory does not grow with the rate of readings.
 */
export class ChangeWindow {
  /** The step of the newest reading, counted from 1970; -1: none yet. */
  #step = -1;
  /** Of each step, at its number modulo their count: lowest, highest. */
  readonly #ends = new Float32Array(2 * SLOTS);
  /** How far the newest reading was from the farthest before it, rounded to Float32. */
  movement = 0;

  constructor(row?: WindowRow) {
    for (let slot = 0; slot < SLOTS; slot++) this.#clear(slot);
    if (row === undefined) return;
    const [step, movement, ends] = row;
    this.#step = step;
    this.movement = movement;
    for (const [at, end] of ends.entries()) if (end !== null) this.#ends[at] = end;
  }

  /** Takes a reading, and gives how far it moved. */
  move(step: number, value: number, direction: Condition["direction"]): number {
    this.#advance(step);
    this.movement = this.#distance(value, direction);
    const at = 2 * (step % SLOTS);
    this.#ends[at] = Math.min(this.#ends[at] ?? NO_LOW, value);
    this.#ends[at + 1] = Math.max(this.#ends[at + 1] ?? NO_HIGH, value);
    return this.movement;
  }

  /** How far a value would have moved that came in the step of the newest reading. */
  wouldMove(value: number, direction: Condition["direction"]): number {
    return this.#distance(value, direction);
  }

  row(): WindowRow {
    return [this.#step, this.movement, [...this.#ends].map((end) => (Number.isFinite(end) ? end : null))];
  }

  #distance(value: number, direction: Condition["direction"] = "either"): number {
    let [low, high] = [value, value];
    for (let at = 0; at < 2 * SLOTS; at += 2) {
      low = Math.min(low, this.#ends[at] ?? NO_LOW);
      high = Math.max(high, this.#ends[at + 1] ?? NO_HIGH);
    }
    const rise = direction === "fall" ? 0 : value - low;
    const fall = direction === "rise" ? 0 : high - value;
    return Math.fround(Math.max(rise, fall));
  }

  #advance(step: number): void {
    const first = Math.max(this.#step + 1, step - CHANGE_STEPS);
    for (let passed = first; passed <= step; passed++) this.#clear(passed % SLOTS);
    this.#step = Math.max(this.#step, step);
  }

  #clear(slot: number): void {
    this.#ends[2 * slot] = NO_LOW;
    this.#ends[2 * slot + 1] = NO_HIGH;
  }
}
