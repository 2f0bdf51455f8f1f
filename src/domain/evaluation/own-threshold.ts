import { qualityOf, shownQuality } from "../quality.ts";
import type { PartitionClocks } from "./clocks.ts";
import { thresholdClears, thresholdFires } from "./limits.ts";
import { NEVER, type SignalState } from "./signal-state.ts";
import type { Step } from "./step.ts";

/** The condition that every signal has of its own: quality below its threshold. */
export class OwnThreshold {
  readonly #clocks: PartitionClocks;
  readonly #step: Step;

  constructor(clocks: PartitionClocks, step: Step) {
    this.#clocks = clocks;
    this.#step = step;
  }

  /** `quality` of the newest reading as Float32. */
  compare(signal: SignalState, quality: number): void {
    const { threshold, hysteresis } = signal.settings;
    if (signal.belowThreshold === null) {
      if (thresholdFires(threshold, quality)) this.#start(signal);
    } else if (thresholdClears(threshold, hysteresis, quality)) {
      this.end(signal);
    }
  }

  /** After a change of the limit: the newest reading is compared as if it were the first one. */
  compareAnew(signal: SignalState): void {
    const { threshold, floorDbm, ceilingDbm } = signal.settings;
    const { strength } = signal;
    const fails =
      signal.newestAtMs !== NEVER &&
      thresholdFires(threshold, Math.fround(qualityOf(Math.fround(strength), floorDbm, ceilingDbm)));
    if (!fails) this.end(signal);
    else if (signal.belowThreshold === null) this.#start(signal);
  }

  end(signal: SignalState): void {
    if (signal.belowThreshold === null) return;
    this.#step.touch(signal);
    signal.change({ belowThreshold: null });
  }

  #start(signal: SignalState): void {
    const { floorDbm, ceilingDbm } = signal.settings;
    this.#step.touch(signal);
    const value = shownQuality(signal.strength, floorDbm, ceilingDbm);
    signal.change({ belowThreshold: { sinceMs: this.#clocks.recordMs, value } });
  }
}
