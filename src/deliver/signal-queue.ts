import type { DueDelivery } from "../ports/webhooks.ts";

const COMPACT_AFTER = 1_000;

/**
 * First attempts in the order of events, one of a signal at a time: the next of that signal comes out only after `done`.
 * Those of other signals do not wait for it.
 */
export class SignalQueue {
  readonly #ready: DueDelivery[] = [];
  #taken = 0;
  /** Of each signal that has one ready or out: those behind it. */
  readonly #behind = new Map<string, DueDelivery[]>();
  #size = 0;

  /** How many wait; those that are out do not count. */
  get size(): number {
    return this.#size;
  }

  /** Whether one comes out now: of what waits, some may wait for one of their signal that is out. */
  get hasReady(): boolean {
    return this.#ready.length > this.#taken;
  }

  push(due: DueDelivery): void {
    this.#size++;
    const behind = this.#behind.get(keyOf(due));
    if (behind !== undefined) {
      behind.push(due);
      return;
    }
    this.#behind.set(keyOf(due), []);
    this.#ready.push(due);
  }

  take(): DueDelivery | undefined {
    const due = this.#ready[this.#taken];
    if (due === undefined) return undefined;
    this.#size--;
    // Shifting one by one moves all that is behind it.
    if (++this.#taken === COMPACT_AFTER) {
      this.#ready.splice(0, this.#taken);
      this.#taken = 0;
    }
    return due;
  }

  done(due: DueDelivery): void {
    const next = this.#behind.get(keyOf(due))?.shift();
    if (next === undefined) this.#behind.delete(keyOf(due));
    else this.#ready.push(next);
  }

  clear(): void {
    this.#ready.length = 0;
    this.#taken = 0;
    this.#behind.clear();
    this.#size = 0;
  }
}

/** A source's events are of no signal, and wait for none. */
const keyOf = ({ signalId, id }: DueDelivery): string => signalId ?? id;
