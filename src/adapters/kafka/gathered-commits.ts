import { setImmediate as endOfTurn } from "node:timers/promises";

/** Brings places in partitions to Kafka, one request at a time: while one is under way, the next gathers. */
export class GatheredCommits {
  readonly #write: (places: ReadonlyMap<number, number>) => Promise<void>;
  #places = new Map<number, number>();
  #gathering: Promise<void> | null = null;
  #running: Promise<void> = Promise.resolve();

  /** `write` is given where to go on, by partition; it must settle in bounded time. */
  constructor(write: (places: ReadonlyMap<number, number>) => Promise<void>) {
    this.#write = write;
  }

  /** Settles as the request that the place goes out by. */
  commit(partition: number, next: number): Promise<void> {
    this.#places.set(partition, Math.max(next, this.#places.get(partition) ?? 0));
    this.#gathering ??= this.#send(this.#running);
    return this.#gathering;
  }

  async #send(before: Promise<void>): Promise<void> {
    // How the one before ended has been told to those who wait for it.
    await before.catch(() => undefined);
    await endOfTurn();
    const places = this.#places;
    this.#places = new Map();
    this.#gathering = null;
    this.#running = this.#write(places);
    await this.#running;
  }
}
