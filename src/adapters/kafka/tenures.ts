import type { Batch } from "kafkajs";
import { troubleOf } from "../event-log/held-partition.ts";
import type { Tenure } from "./tenure.ts";

/** The partitions of one member: those it holds, and those it is letting go of. */
export class Tenures {
  readonly #held = new Map<number, Tenure>();
  readonly #leaving = new Map<number, Tenure>();

  /** What nobody else may be given: all that was not let go of yet. */
  get owned(): number[] {
    return [...this.#held.keys(), ...this.#leaving.keys()];
  }
  get size(): number {
    return this.#held.size;
  }
  get trouble(): string | null {
    return troubleOf([...this.#held.values()].map(({ held }) => held));
  }
  /** Records not yet given to a consumer, by partition held. */
  get lag(): ReadonlyMap<number, number> {
    return new Map([...this.#held].map(([partition, tenure]) => [partition, tenure.lag]));
  }
  /** Bytes that wait for consumers. */
  get waitingBytes(): number {
    let bytes = 0;
    for (const tenure of this.#held.values()) bytes += tenure.waitingBytes;
    return bytes;
  }

  /** Begins a tenure of each of these that is not held; `make` is given what it has to wait for. */
  hold(partitions: readonly number[], make: (partition: number, before: Promise<void>) => Tenure): void {
    for (const partition of partitions) {
      if (this.#held.has(partition)) continue;
      const before = this.#leaving.get(partition)?.done ?? Promise.resolve();
      this.#held.set(partition, make(partition, before));
    }
  }

  /** Lets go of the partitions that are not to `stay`; says how many they are, and when that is over. */
  keep(stay: readonly number[]): { readonly gone: number; readonly over: Promise<void> } {
    const gone = [...this.#held.values()].filter(({ partition }) => !stay.includes(partition));
    for (const tenure of gone) this.#letGo(tenure);
    const over = Promise.all([...this.#leaving.values()].map(({ done }) => done)).then(() => undefined);
    return { gone: gone.length, over };
  }

  /** After the group was joined anew, for what has stayed. */
  goOn(): void {
    for (const tenure of this.#held.values()) tenure.goOn();
  }

  async receive(batch: Batch): Promise<void> {
    await this.#held.get(batch.partition)?.receive(batch);
  }

  #letGo(tenure: Tenure): void {
    const { partition } = tenure;
    tenure.end();
    this.#held.delete(partition);
    this.#leaving.set(partition, tenure);
    const gone = () => {
      if (this.#leaving.get(partition) === tenure) this.#leaving.delete(partition);
    };
    tenure.done.then(gone, gone);
  }
}
