/** How many are remembered: what is still in use lives on, and is made again for others. */
const KNOWN_MAX = 1_000;

/** One copy of what many signals have alike: out of JSON, each would have its own. Never changed. */
export class Shared<T> {
  readonly #known = new Map<string, T>();

  /** What is equal to the value, its members in the same order. */
  of(value: T): T {
    const text = JSON.stringify(value);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(text, value);
    return value;
  }
}
