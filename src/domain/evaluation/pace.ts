/** What a slice of a record's application costs at most, about in microseconds: nobody waits longer for a turn. */
const SLICE_COST = 5_000;

/** What is known to add up, about in microseconds. Readings that tell nothing are not counted: a batch bounds them. */
export const COSTS = {
  event: 25,
  eventUntold: 2,
  change: 25,
  /** A signal looked at, or a timer moved. */
  look: 0.5,
  /** A rule held against a signal. */
  match: 0.1,
  /** One that becomes a dead letter. */
  deadLine: 3,
} as const;

/** How often the application of a record rests: it counts work, not time, for the fold knows no clock. */
export class Pace {
  #spent = 0;

  spend(cost: number): void {
    this.#spent += cost;
  }

  /** Whether the slice is at its end. */
  get isOver(): boolean {
    return this.#spent >= SLICE_COST;
  }

  /** The next slice begins. */
  begin(): void {
    this.#spent = 0;
  }
}

/** Work in slices: each `yield` is a place to rest. What it comes to is the same however long the rests are. */
export type Slices<Result = void> = Generator<void, Result, void>;
