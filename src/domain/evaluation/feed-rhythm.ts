import { DEFAULT_NO_DATA_AFTER_SECONDS } from "../../../schemas/signal.ts";

/** Shorter ones are within a burst: they say nothing of how long a feed may be silent. */
const GAP_MIN_MS = 1_000;
const STEPS_PER_DOUBLING = 4;
/** From one second to more than a day. */
const STEPS = 17 * STEPS_PER_DOUBLING;
/** Gaps before anything is learned of them. */
const GAPS_MIN = 20;
/** What is older than so many counts half, again and again: a feed may change its rhythm. */
const GAPS_KEPT = 1_000;
const SHARE = 0.99;
const TIMES = 3;
export const LEARNED_MIN_MS = 10_000;
export const LEARNED_MAX_MS = 86_400_000;

/** Of a snapshot: step and count of those that have any. */
export type RhythmRow = [step: number, count: number][];

/** The upper end of a step, ms. */
const endOf = (step: number): number => GAP_MIN_MS * 2 ** ((step + 1) / STEPS_PER_DOUBLING);
const stepOf = (gapMs: number): number =>
  Math.min(STEPS - 1, Math.floor(STEPS_PER_DOUBLING * Math.log2(gapMs / GAP_MIN_MS)));

/**
 * The silence that is too long for a feed, learned from its own gaps: three times the gap that 99 of 100 do not reach,
 * from ten seconds to a day. A gap counts for at most as long as the silence that was too long when it came, so that one
 * outage teaches nothing, and a slower rhythm is learned step by step. Gaps are told apart by a fifth.
 */
export class FeedRhythm {
  readonly #counts = new Uint16Array(STEPS);
  #gaps = 0;
  /** Ms without a reading that are too long. */
  learnedMs = DEFAULT_NO_DATA_AFTER_SECONDS * 1_000;

  constructor(row: RhythmRow = []) {
    for (const [step, count] of row) {
      this.#counts[step] = count;
      this.#gaps += count;
    }
    this.#learn();
  }

  /** True: what is too long has changed. */
  add(gapMs: number): boolean {
    if (gapMs < GAP_MIN_MS) return false;
    const step = stepOf(Math.min(gapMs, this.learnedMs));
    this.#counts[step] = (this.#counts[step] ?? 0) + 1;
    this.#gaps++;
    if (this.#gaps >= 2 * GAPS_KEPT) this.#forget();
    return this.#learn();
  }

  row(): RhythmRow {
    return [...this.#counts].flatMap((count, step) => (count === 0 ? [] : [[step, count]]));
  }

  #forget(): void {
    this.#gaps = 0;
    for (const [step, count] of this.#counts.entries()) {
      this.#counts[step] = count >> 1;
      this.#gaps += count >> 1;
    }
  }

  #learn(): boolean {
    const before = this.learnedMs;
    if (this.#gaps >= GAPS_MIN) {
      const usual = endOf(this.#usualStep());
      this.learnedMs = Math.round(Math.min(LEARNED_MAX_MS, Math.max(LEARNED_MIN_MS, TIMES * usual)));
    }
    return this.learnedMs !== before;
  }

  #usualStep(): number {
    let left = this.#gaps - Math.ceil(this.#gaps * SHARE);
    for (let step = STEPS - 1; step > 0; step--) {
      left -= this.#counts[step] ?? 0;
      if (left < 0) return step;
    }
    return 0;
  }
}
