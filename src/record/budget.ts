/** A limit in bytes that all partitions share, and those who wait for room under it. */
export class Budget {
  readonly #limitBytes: number;
  readonly #changed: (bytes: number) => void;
  readonly #waiting = new Set<() => void>();
  #bytes = 0;

  constructor(limitBytes: number, changed: (bytes: number) => void) {
    this.#limitBytes = limitBytes;
    this.#changed = changed;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#limitBytes;
  }

  /** Negative gives back. */
  take(bytes: number): void {
    this.#bytes += bytes;
    this.#changed(this.#bytes);
    if (this.isFull) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** Resolves when there is room, or when the signal aborts. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.isFull && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = () => resolve();
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake);
      await promise;
      signal.removeEventListener("abort", wake);
      this.#waiting.delete(wake);
    }
  }
}
