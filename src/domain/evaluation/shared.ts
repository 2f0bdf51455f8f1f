/** How many are remembered: what is still in use lives on, and is made again for others. */
const KNOWN_MAX = 1_000;

/** Whether all members are the same, in the same order; what has members of its own again is not looked into. */
const isAlike = <T extends object>(a: T, b: T): boolean => {
  const others = Object.keys(b);
  let at = 0;
  for (const key in a) if (key !== others[at++] || a[key] !== b[key]) return false;
  return at === others.length;
};

/** One copy of what many signals have alike: out of JSON, each would have its own. Never changed. */
export class Shared<T extends object> {
  readonly #known = new Map<string, T>();
  /** Most are like the one before. */
  #last: T | null = null;

  /** What is equal to the value, its members in the same order. */
  of(value: T): T {
    if (this.#last === null || !isAlike(value, this.#last)) this.#last = this.#found(value);
    return this.#last;
  }

  #found(value: T): T {
    const text = JSON.stringify(value);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(text, value);
    return value;
  }
}
