import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";
import { ProblemError } from "./problem.ts";

const GUESSES = 100;
const WINDOW_SECONDS = 10;

/** Bounds what a peer (by its address) can have looked up in vain, in each process: each look-up costs the database. */
export class UnknownCallers {
  readonly #guesses = new RateLimiterMemory({ points: GUESSES, duration: WINDOW_SECONDS });

  /** What `look` finds costs nothing. Throws `rate_limited` after too many that found nothing. */
  async lookUp<T>(peer: string, look: () => Promise<T | null>): Promise<T | null> {
    // Counted behind the look-up: many good keys that come at once are no guesses.
    const window = await this.#guesses.get(peer);
    if (window !== null && window.consumedPoints >= GUESSES) throw tooMany(window);
    const found = await look();
    if (found === null) await this.#guesses.penalty(peer);
    return found;
  }
}

const tooMany = ({ msBeforeNext }: RateLimiterRes): ProblemError =>
  new ProblemError(
    "rate_limited",
    `more than ${GUESSES} unknown keys or tickets in ${WINDOW_SECONDS} s came from here`,
    { headers: { "Retry-After": String(Math.ceil(msBeforeNext / 1_000)) } },
  );
