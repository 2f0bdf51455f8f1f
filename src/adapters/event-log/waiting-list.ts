/** Those who wait for something to happen: more records of a partition, room in the log. */
export class WaitingList {
  readonly #waiting = new Set<() => void>();

  /** Resolves at the next `wake`, or when the signal aborts. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener("abort", done);
    });
  }

  wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}
