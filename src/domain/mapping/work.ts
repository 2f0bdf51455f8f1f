import type { JSONValue } from "json-p3";
import { children } from "./json.ts";

/** Free for every message: nearly all need less, and are never measured. */
const STEPS_FREE = 5_000;
/** A message may cost so many steps for each of its values, and for every so many characters of its texts. */
const STEPS_PER_VALUE = 16;
const CHARACTERS_PER_VALUE = 16;

/** Evaluating the paths took more steps than a message of its size may take. */
export class WorkExceededError extends Error {
  override readonly name = "WorkExceededError";
  constructor() {
    super("the mapping's paths need more steps than a message of this size may take");
  }
}

/** How much there is of a message: its values, long texts counting for several. */
export const sizeOf = (message: JSONValue): number => {
  const open: JSONValue[] = [message];
  let size = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    size++;
    if (typeof value === "string") size += Math.floor(value.length / CHARACTERS_PER_VALUE);
    else for (const child of children(value)) open.push(child);
  }
  return size;
};

/**
 * What evaluating paths on one message may still cost. A step is a value looked at, a condition of a filter, or some
 * characters of a text: some 100 ns. Whoever makes a source writes the paths and whoever it connects to
 * the messages; neither may stall the others' sources, so the steps are bounded in proportion to the message.
 */
export class Work {
  readonly #message: JSONValue;
  #left = STEPS_FREE;
  #spent = 0;
  #measured = false;

  constructor(message: JSONValue) {
    this.#message = message;
  }

  /** Steps so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Throws WorkExceededError. */
  spend(steps: number): void {
    this.#spent += steps;
    this.#left -= steps;
    if (this.#left < 0) this.#measure();
  }

  #measure(): void {
    if (!this.#measured) this.#left += STEPS_PER_VALUE * sizeOf(this.#message);
    this.#measured = true;
    if (this.#left < 0) throw new WorkExceededError();
  }
}
