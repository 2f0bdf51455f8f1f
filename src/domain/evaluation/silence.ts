import type { PartitionClocks } from "./clocks.ts";
import type { DueHeap } from "./due-heap.ts";
import { NEVER, type SignalState } from "./signal-state.ts";
import { sourceMs } from "./source-flows.ts";
import type { Step } from "./step.ts";

/** When the silence of a signal is too long, by the partition's no-data clock, if its source runs on; null: not armed. */
const deadlineMs = ({ definition, lastDataMs, noDataSinceMs, flow }: SignalState): number | null => {
  const { noDataAfterSeconds, paused } = definition;
  if (noDataAfterSeconds === null || paused || lastDataMs === NEVER || noDataSinceMs !== NEVER) return null;
  return lastDataMs + noDataAfterSeconds * 1000 + (flow?.standstillMs ?? 0);
};

/**
 * The condition of no data. A reading only moves `lastDataMs`: what stands in the heap may be too early, and is looked
 * at again when it is its turn, so that a reading costs the same however many signals wait.
 */
export class Silence {
  readonly #clocks: PartitionClocks;
  readonly #step: Step;
  readonly #timers: DueHeap;

  constructor(clocks: PartitionClocks, step: Step, timers: DueHeap) {
    this.#clocks = clocks;
    this.#step = step;
    this.#timers = timers;
  }

  /** A reading came, early or late: the signal is not silent. */
  heard(signal: SignalState): void {
    signal.lastDataMs = sourceMs(this.#clocks, signal.flow);
    if (signal.noDataSinceMs !== NEVER) this.end(signal);
    if (!this.#timers.has(signal.slot)) this.arm(signal);
  }

  /** Puts the signal's deadline into the heap as it is now, or takes it out. */
  arm(signal: SignalState): void {
    const deadline = deadlineMs(signal);
    if (deadline === null) this.#timers.remove(signal.slot);
    else this.#timers.set(signal.slot, deadline);
  }

  disarm(signal: SignalState): void {
    this.end(signal);
    signal.lastDataMs = NEVER;
    this.#timers.remove(signal.slot);
  }

  /** After a change of the interval: silence counts from the last reading as before. */
  rearm(signal: SignalState): void {
    const { noDataAfterSeconds } = signal.definition;
    if (signal.noDataSinceMs !== NEVER && !this.#isSilent(signal, noDataAfterSeconds)) this.end(signal);
    this.arm(signal);
  }

  /** Looks again at a signal whose turn it is. True: it has been silent for too long, and now the condition holds. */
  isDue(signal: SignalState): boolean {
    const deadline = deadlineMs(signal);
    if (deadline !== null && signal.flow !== null && signal.flow.pausedAtMs !== null) {
      signal.flow.park(signal.slot);
      this.#timers.remove(signal.slot);
      return false;
    }
    // Only a deadline that stood there exactly is taken: so the order does not depend on how often it was moved.
    if (deadline === null || deadline !== this.#timers.dueOf(signal.slot)) {
      this.arm(signal);
      return false;
    }
    return true;
  }

  start(signal: SignalState): void {
    this.#step.touch(signal);
    this.#timers.remove(signal.slot);
    signal.noDataSinceMs = this.#clocks.recordMs;
    signal.noDataValue = this.#silenceMs(signal) / 1000;
  }

  end(signal: SignalState): void {
    if (signal.noDataSinceMs === NEVER) return;
    this.#step.touch(signal);
    signal.noDataSinceMs = NEVER;
  }

  /** The signal's source runs again. */
  unpark(signal: SignalState): void {
    if (!this.#timers.has(signal.slot)) this.arm(signal);
  }

  #silenceMs(signal: SignalState): number {
    return sourceMs(this.#clocks, signal.flow) - signal.lastDataMs;
  }

  #isSilent(signal: SignalState, afterSeconds: number | null): boolean {
    return afterSeconds !== null && this.#silenceMs(signal) >= afterSeconds * 1000;
  }
}
