import type { LiveUpdate } from "../live.ts";
import type { SignalRegistry } from "./signal-registry.ts";
import { NEVER, type SignalState } from "./signal-state.ts";
import { statusOf } from "./signal-view.ts";

const liveUpdateOf = (signal: SignalState): LiveUpdate => ({
  signalId: signal.definition.id,
  accountId: signal.definition.accountId,
  atMs: signal.newestAtMs === NEVER ? null : signal.newestAtMs,
  strength: signal.newestAtMs === NEVER ? null : signal.strength,
  status: statusOf(signal),
});

/** Slots of signals with something new for topic `live`, first come first served. One stands in it once: it cannot outgrow them. */
export class DirtySignals {
  readonly #signals: SignalRegistry;
  #flags = new Uint8Array(64);
  #queue: number[] = [];
  #next = 0;

  constructor(signals: SignalRegistry) {
    this.#signals = signals;
  }

  get size(): number {
    return this.#queue.length - this.#next;
  }

  add(slot: number): void {
    if (this.#flags[slot] === 1) return;
    if (slot >= this.#flags.length) {
      const grown = new Uint8Array(Math.max(slot + 1, this.#flags.length * 2));
      grown.set(this.#flags);
      this.#flags = grown;
    }
    this.#flags[slot] = 1;
    this.#queue.push(slot);
  }

  /** The newest values of up to `limit` signals, taken from the queue; nothing is told of one that is gone. */
  take(limit: number): LiveUpdate[] {
    const taken = this.#queue.slice(this.#next, this.#next + limit);
    this.#next += taken.length;
    if (this.#next === this.#queue.length) {
      this.#queue = [];
      this.#next = 0;
    }
    return taken.flatMap((slot) => {
      this.#flags[slot] = 0;
      const signal = this.#signals.at(slot);
      return signal === null ? [] : [liveUpdateOf(signal)];
    });
  }
}
