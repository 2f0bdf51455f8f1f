/** Why every source is paused; the words are those of a source's `stateReason`. */
const REASONS = {
  log_full: "the log is at its limit (LOG_MAX_BYTES): waiting for room",
  log_unavailable: "the log cannot be written: waiting for it",
  too_many_bytes: "readings arrive faster than the log takes them: waiting for it to catch up",
} as const;
export type PressureReason = keyof typeof REASONS;

/** Counts what waits, and says when the sources must stop sending. What was taken before is never dropped. */
export class BackPressure {
  readonly #limitBytes: number;
  readonly #held = new Set<PressureReason>();
  readonly #listeners = new Set<() => void>();
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

  /** Calls `listener` at every change of reasons until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
