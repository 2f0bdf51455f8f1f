export interface TurnSettings {
  /** How long the oldest record of a partition waits for others to come. */
  readonly lingerMs: number;
  /** Turns of two partitions are this far apart, where that makes none wait longer than `lingerMaxMs`. */
  readonly apartMs: number;
  /** Two turns of the same partition, likewise. */
  readonly againMs: number;
  readonly lingerMaxMs: number;
}

/**
 * When each partition inserts what it has gathered: one after the other. A small insert costs the engine nearly what a
 * large one does, so the more partitions there are to insert, the longer each of them gathers.
 */
export class Turns {
  readonly #settings: TurnSettings;
  readonly #taken = new Map<number, number>();

  constructor(settings: TurnSettings) {
    this.#settings = settings;
  }

  /** When a partition is to insert whose oldest record came at `oldestAt` (both monotonic, ms); ends its turn before. */
  take(partition: number, oldestAt: number): number {
    const { lingerMs, apartMs, againMs, lingerMaxMs } = this.#settings;
    const afterOwn = (this.#taken.get(partition) ?? Number.NEGATIVE_INFINITY) + againMs;
    this.#taken.delete(partition);
    const afterOthers = Math.max(...this.#taken.values()) + apartMs;
    const latest = oldestAt + Math.max(lingerMs, lingerMaxMs);
    const at = Math.min(latest, Math.max(oldestAt + lingerMs, afterOwn, afterOthers));
    this.#taken.set(partition, at);
    return at;
  }

  /** The partition has been let go of. */
  leave(partition: number): void {
    this.#taken.delete(partition);
  }
}
