/**
 * At most `perSecond` a second on average, a second's worth at once at most: the generic cell rate algorithm (ITU-T I.371),
 * a virtual schedule in one number.
 */
export class RateGate {
  readonly #intervalMs: number;
  readonly #toleranceMs: number;
  #nextMs = 0;

  /** Null: no limit. */
  constructor(perSecond: number | null) {
    this.#intervalMs = perSecond === null ? 0 : 1000 / perSecond;
    this.#toleranceMs = perSecond === null ? 0 : Math.max(0, 1000 - this.#intervalMs);
  }

  /** 0: taken. Else nothing is taken, and it says in how many milliseconds to come again. `nowMs` never falls. */
  take(nowMs: number): number {
    const waitMs = this.#nextMs - this.#toleranceMs - nowMs;
    if (waitMs > 0) return waitMs;
    this.#nextMs = Math.max(this.#nextMs, nowMs) + this.#intervalMs;
    return 0;
  }
}
