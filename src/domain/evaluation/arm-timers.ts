import type { PartitionState } from "./partition-state.ts";
import { earliestWaitMs } from "./rule-levels.ts";
import type { SignalState } from "./signal-state.ts";

/** Sets what a signal waits for, out of its state alone. */
export const armTimers = (state: PartitionState, signal: SignalState): void => {
  const dueMs = earliestWaitMs(signal);
  if (dueMs !== Number.POSITIVE_INFINITY) state.ruleTimers.set(signal.slot, dueMs);
  state.noData.arm(signal);
};
