import type { Clock } from "../../ports/clock.ts";

/** So many a second, and so many at once after a rest: a token bucket. */
export class Pace {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #perMs: number;
  #left: number;
  #countedAtMs: number;

  constructor(clock: Clock, { burst, perSecond }: { burst: number; perSecond: number }) {
    this.#clock = clock;
    this.#burst = burst;
    this.#perMs = perSecond / 1_000;
    this.#left = burst;
    this.#countedAtMs = clock.monotonic();
  }

  /** Counts one more, or refuses it. */
  allows(): boolean {
    const nowMs = this.#clock.monotonic();
    this.#left = Math.min(this.#burst, this.#left + (nowMs - this.#countedAtMs) * this.#perMs);
    this.#countedAtMs = nowMs;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
