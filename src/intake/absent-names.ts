import type { Clock } from "../ports/clock.ts";

/** A name that means no signal is asked again after this. */
const ABSENT_MS = 1_000;
const NAMES_MAX = 10_000;

/** Names that meant no signal a moment ago: a sender that insists on one must not cost a query for each reading. */
export class AbsentNames {
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(name: string): void {
    if (this.#until.size >= NAMES_MAX) this.#until.clear();
    this.#until.set(name, this.#clock.monotonic() + ABSENT_MS);
  }

  has(name: string): boolean {
    const until = this.#until.get(name);
    if (until === undefined) return false;
    if (until > this.#clock.monotonic()) return true;
    this.#until.delete(name);
    return false;
  }
}
