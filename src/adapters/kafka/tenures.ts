import type { Batch } from "kafkajs";
import type { Clock } from "../../ports/clock.ts";
import { LET_GO_MAX_MS } from "../../ports/event-log.ts";
import { troubleOf } from "../event-log/held-partition.ts";
import type { Tenure } from "./tenure.ts";

/** A partition whose consumer needs longer to begin, such as with a snapshot, is told as trouble. */
const BEGUN_MAX_MS = 15_000;

interface Leaving {
  readonly tenure: Tenure;
  readonly sinceMs: number;
  /** Whether the group still takes it for ours. */
  claimed: boolean;
}

/** The partitions of one member: those it holds, and those it is letting go of. */
export class Tenures {
  readonly #clock: Clock;
  readonly #freed: () => void;
  readonly #held = new Map<number, Tenure>();
  readonly #leaving = new Map<number, Leaving>();

  /** `freed` is called each time that the group may give away one more partition. */
  constructor(clock: Clock, freed: () => void) {
    this.#clock = clock;
    this.#freed = freed;
  }

  /** What nobody else may be given: all that was not let go of yet. */
  get owned(): number[] {
    return [...this.#held.keys(), ...this.#claimed.map(({ tenure }) => tenure.partition)];
  }
  get size(): number {
    return this.#held.size;
  }
  /** How many are being read. */
  get read(): number {
    return [...this.#held.values()].filter(({ unreadMs }) => unreadMs === null).length;
  }
  get trouble(): string | null {
    return troubleOf([...this.#held.values()].map(({ held }) => held)) ?? this.#lingering ?? this.#unread;
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
      const before = this.#leaving.get(partition)?.tenure.done ?? Promise.resolve();
      this.#held.set(partition, make(partition, before));
    }
  }

  /**
   * Lets go of the partitions that are not to `stay`; resolves when all that is being let go of is. `lost`: others may
   * have had them for a while.
   */
  async keep(stay: readonly number[], lost = false): Promise<void> {
    const gone = [...this.#held.values()].filter(({ partition }) => !stay.includes(partition));
    for (const tenure of gone) this.#letGo(tenure, lost);
    await Promise.all([...this.#leaving.values()].map(({ tenure }) => tenure.done));
  }

  /** Others may have been given all of them, those that are only just being let go of too. */
  lose(): void {
    void this.keep([], true);
    for (const leaving of this.#leaving.values()) leaving.claimed = false;
  }

  /** After the group was joined anew, for what has stayed. */
  goOn(): void {
    for (const tenure of this.#held.values()) tenure.goOn();
  }

  async receive(batch: Batch): Promise<void> {
    await this.#held.get(batch.partition)?.receive(batch);
  }

  /** Kafka does not have what a partition is to go on with. */
  outOfRange(partition: number): void {
    this.#held.get(partition)?.outOfRange();
  }

  get #claimed(): Leaving[] {
    return [...this.#leaving.values()].filter(({ claimed }) => claimed);
  }

  get #lingering(): string | null {
    const now = this.#clock.monotonic();
    const late = this.#claimed.find(({ sinceMs }) => now - sinceMs > LET_GO_MAX_MS);
    if (late === undefined) return null;
    const seconds = Math.floor((now - late.sinceMs) / 1_000);
    return `partition ${late.tenure.partition} is to move to another process, but has not been let go of here for ${seconds} s: nobody reads it meanwhile`;
  }

  get #unread(): string | null {
    for (const { partition, unreadMs } of this.#held.values())
      if (unreadMs !== null && unreadMs > BEGUN_MAX_MS)
        return `partition ${partition} was given to this process ${Math.floor(unreadMs / 1_000)} s ago and is not read yet`;
    return null;
  }

  #letGo(tenure: Tenure, lost: boolean): void {
    const { partition } = tenure;
    const sinceMs = this.#leaving.get(partition)?.sinceMs ?? this.#clock.monotonic();
    const leaving = { tenure, sinceMs, claimed: true };
    tenure.end(lost);
    this.#held.delete(partition);
    this.#leaving.set(partition, leaving);
    const gone = () => {
      if (this.#leaving.get(partition) !== leaving) return;
      this.#leaving.delete(partition);
      if (leaving.claimed && !this.#held.has(partition)) this.#freed();
    };
    tenure.done.then(gone, gone);
  }
}
