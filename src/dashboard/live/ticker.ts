/** One beat for all that shows how old something is; it runs while anybody follows it. */
export class Ticker {
  readonly #everyMs: number;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** The function given ends it. */
  follow = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => this.#beat(), this.#everyMs);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  };

  #beat(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const seconds = new Ticker(1_000);
