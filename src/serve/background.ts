/** Tasks that run beside requests: each has somebody to tell of its failure, and somebody who awaits it at the end. */
export class Background {
  readonly #running = new Set<Promise<void>>();

  run(task: () => Promise<void>, failed: (error: unknown) => void): void {
    const running = task()
      .catch(failed)
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
