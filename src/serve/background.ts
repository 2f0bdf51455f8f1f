/** Tasks that run beside requests: each has somebody to tell of its failure, and somebody who awaits it at the end. */
export class Background {
  readonly #running = new Set<Promise<void>>();

  run(task: () => Promise<void>, failed: (error: unknown) => void): void {
    const running = task()
      .catch(failed)
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** As `run`, once fewer than `max` tasks run: resolves when it has begun. */
  async runAmong(max: number, task: () => Promise<void>, failed: (error: unknown) => void): Promise<void> {
    while (this.#running.size >= max) await Promise.race(this.#running);
    this.run(task, failed);
  }

  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
