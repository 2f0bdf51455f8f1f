import type { LiveUpdate } from "../live.ts";
import { NEVER, type SignalState, statusOf } from "./signal-state.ts";

export const liveUpdateOf = (signal: SignalState): LiveUpdate => ({
  signalId: signal.definition.id,
  accountId: signal.definition.accountId,
  atMs: signal.newestAtMs === NEVER ? null : signal.newestAtMs,
  strength: signal.newestAtMs === NEVER ? null : signal.strength,
  status: statusOf(signal),
});

/** Signals with something new for topic `live`, first come first served. A signal stands in it once: it cannot outgrow them. */
export class DirtySignals {
  #queue: SignalState[] = [];
  #next = 0;

  get size(): number {
    return this.#queue.length - this.#next;
  }

  add(signal: SignalState): void {
    if (signal.dirty) return;
    signal.dirty = true;
    this.#queue.push(signal);
  }

  /** The newest values of up to `limit` signals, taken from the queue. */
  take(limit: number): LiveUpdate[] {
    const taken = this.#queue.slice(this.#next, this.#next + limit);
    this.#next += taken.length;
    if (this.#next === this.#queue.length) {
      this.#queue = [];
      this.#next = 0;
    }
    const wanted = taken.filter(({ dirty }) => dirty);
    for (const signal of wanted) signal.dirty = false;
    return wanted.map(liveUpdateOf);
  }

  /** Nothing more is told of a signal that is gone. */
  forget(signal: SignalState): void {
    signal.dirty = false;
  }
}
