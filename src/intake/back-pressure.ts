/** Why every source is paused; the words are those of a source's `stateReason`. */
const REASONS = {
  log_full: "the log is at its limit (LOG_MAX_BYTES): waiting for room",
  log_unavailable: "the log cannot be written: waiting for it",
  too_many_bytes: "readings arrive faster than the log takes them: waiting for it to catch up",
} as const;
export type PressureReason = keyof typeof REASONS;

/** What one that goes on may take before others get their chance: what is left of a chunk, and another one. */
const SHARE_BYTES = 128 * 1024;

interface Waiting {
  readonly told: () => void;
  /** The round in which it took something last. */
  tookIn: number;
}

/** Of one of those who take. */
export interface Place {
  /** It takes something. When all have had to stop, those that took last go on last. */
  took(): void;
  leave(): void;
}

/** Counts what waits, and says when the sources must stop sending. What was taken before is never dropped. */
export class BackPressure {
  readonly #limitBytes: number;
  readonly #held = new Set<PressureReason>();
  /** Who took longest ago is first. */
  readonly #waiting = new Set<Waiting>();
  /** Counts how often all went on again. */
  #round = 1;
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Why sources are paused, in words; null while they are not. */
  get reason(): string | null {
    for (const reason of this.#held) return REASONS[reason];
    return null;
  }

  get paused(): boolean {
    return this.#held.size > 0;
  }

  hold(reason: PressureReason): void {
    const before = this.#held.size;
    this.#held.add(reason);
    if (before !== this.#held.size) this.#tell();
  }

  release(reason: PressureReason): void {
    if (this.#held.delete(reason)) this.#tell();
  }

  take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#limitBytes) this.hold("too_many_bytes");
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes <= this.#limitBytes / 2) this.release("too_many_bytes");
  }

  /** `told` is called at every change of reasons, until the place is left. */
  join(told: () => void): Place {
    const waiting = { told, tookIn: 0 };
    this.#waiting.add(waiting);
    return {
      took: () => {
        if (waiting.tookIn === this.#round) return;
        waiting.tookIn = this.#round;
        if (this.#waiting.delete(waiting)) this.#waiting.add(waiting);
      },
      leave: () => this.#waiting.delete(waiting),
    };
  }

  #tell(): void {
    if (this.paused) for (const { told } of this.#waiting) told();
    else this.#letGoOn([...this.#waiting], ++this.#round);
  }

  /** As many as there is room for, and the next ones a turn of the event loop later, if there still is. */
  #letGoOn(waiting: readonly Waiting[], round: number): void {
    if (this.paused || round !== this.#round) return;
    const count = Math.max(1, Math.floor((this.#limitBytes - this.#bytes) / SHARE_BYTES));
    for (const one of waiting.slice(0, count)) if (this.#waiting.has(one)) one.told();
    if (waiting.length <= count) return;
    // Past the next look at the sockets: what they hold is no longer behind what is at hand.
    setImmediate(() => setImmediate(() => this.#letGoOn(waiting.slice(count), round)));
  }
}
