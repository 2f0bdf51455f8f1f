import type { Clock } from "../ports/clock.ts";

interface Remembered<T> {
  readonly value: T;
  readonly until: number;
}

/** The newest so many answers, by name, each for so long. */
export class RememberedAnswers<T> {
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #max: number;
  readonly #answers = new Map<string, Remembered<T>>();

  constructor(clock: Clock, options: { readonly ttlMs: number; readonly max: number }) {
    this.#clock = clock;
    this.#ttlMs = options.ttlMs;
    this.#max = options.max;
  }

  /** Also one that is too old: that it was there says something, too. */
  has(name: string): boolean {
    return this.#answers.has(name);
  }

  /** Undefined: there is none, or it is too old. */
  get(name: string): T | undefined {
    const found = this.#answers.get(name);
    return found !== undefined && found.until > this.#clock.monotonic() ? found.value : undefined;
  }

  set(name: string, value: T): void {
    this.#answers.delete(name);
    const oldest = this.#answers.keys().next();
    if (this.#answers.size >= this.#max && !oldest.done) this.#answers.delete(oldest.value);
    this.#answers.set(name, { value, until: this.#clock.monotonic() + this.#ttlMs });
  }

  delete(name: string): void {
    this.#answers.delete(name);
  }
}
