import type { LiveUpdate } from "../live.ts";
import type { SignalRegistry } from "./signal-registry.ts";
import { NEVER, type SignalState } from "./signal-state.ts";
import { statusOf } from "./signal-view.ts";
import { SlotQueue } from "./slot-queue.ts";

const liveUpdateOf = (signal: SignalState): LiveUpdate => ({
  signalId: signal.id,
  accountId: signal.accountId,
  atMs: signal.newestAtMs === NEVER ? null : signal.newestAtMs,
  strength: signal.newestAtMs === NEVER ? null : signal.strength,
  status: statusOf(signal),
});

/** Signals with something new for topic `live`, first come first served. */
export class DirtySignals {
  readonly #signals: SignalRegistry;
  readonly #slots = new SlotQueue();

  constructor(signals: SignalRegistry) {
    this.#signals = signals;
  }

  get size(): number {
    return this.#slots.size;
  }

  add(slot: number): void {
    this.#slots.add(slot);
  }

  /** The newest values of up to `limit` signals, taken from the queue; nothing is told of one that is gone. */
  take(limit: number): LiveUpdate[] {
    const updates: LiveUpdate[] = [];
    for (let left = Math.min(limit, this.#slots.size); left > 0; left--) {
      const signal = this.#signals.at(this.#slots.take());
      if (signal !== null) updates.push(liveUpdateOf(signal));
    }
    return updates;
  }
}
