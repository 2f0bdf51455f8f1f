/** Where a group goes on in one partition: one commit at a time, each with the newest place, never a smaller one. */
export class Commits {
  readonly #write: (next: number) => Promise<void>;
  #committed: number | null;
  #wanted = 0;
  #running: Promise<void> | null = null;

  /** `write` brings it to Kafka. */
  constructor(committed: number | null, write: (next: number) => Promise<void>) {
    this.#committed = committed;
    this.#write = write;
  }

  /** What is known to be committed. */
  get committed(): number | null {
    return this.#committed;
  }

  /** What the group says; it may be older than what is known here. */
  learned(committed: number | null): void {
    if (committed !== null && committed > (this.#committed ?? -1)) this.#committed = committed;
  }

  /** Resolves when the group's place is at `next` or beyond. */
  async commit(next: number): Promise<void> {
    if (!Number.isSafeInteger(next) || next < 0) throw new RangeError(`cannot commit offset ${next}`);
    this.#wanted = Math.max(this.#wanted, next);
    while (next > (this.#committed ?? -1)) {
      this.#running ??= this.#commitWanted().finally(() => {
        this.#running = null;
      });
      await this.#running;
    }
  }

  async #commitWanted(): Promise<void> {
    const next = this.#wanted;
    await this.#write(next);
    this.learned(next);
  }
}
