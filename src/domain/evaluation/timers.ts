import { COSTS, type Slices } from "./pace.ts";
import type { PartitionState } from "./partition-state.ts";
import type { SignalState } from "./signal-state.ts";

/** Lets time pass up to the present record: rules that waited, then signals that were silent for too long. */
export function* fireTimers(state: PartitionState): Slices {
  const { clocks, ruleTimers, noDataTimers, pace } = state;
  for (
    let slot = ruleTimers.firstDue(clocks.recordMs);
    slot >= 0;
    slot = ruleTimers.firstDue(clocks.recordMs)
  ) {
    passRuleTime(state, slot);
    pace.spend(COSTS.look);
    if (pace.isOver) yield;
  }
  for (
    let slot = noDataTimers.firstDue(clocks.noDataMs);
    slot >= 0;
    slot = noDataTimers.firstDue(clocks.noDataMs)
  ) {
    passSilence(state, slot);
    pace.spend(COSTS.look);
    if (pace.isOver) yield;
  }
}

/** What stands in the heap may be too early: then it is put right, and looked at again. */
const isSilentNow = ({ noDataTimers, noData, clocks }: PartitionState, signal: SignalState): boolean => {
  while (noDataTimers.dueNow(signal.slot, clocks.noDataMs)) if (noData.isDue(signal)) return true;
  return false;
};

const passRuleTime = (state: PartitionState, slot: number): void => {
  const signal = state.signals.at(slot);
  if (signal === null) {
    state.ruleTimers.remove(slot);
    return;
  }
  state.beforeChange(signal);
  // Both in one step: a wait that ends as silence begins does not tell of a recovery in between.
  state.ruleConditions.calmDown(signal, null);
  if (isSilentNow(state, signal)) state.noData.start(signal);
  state.ruleConditions.passTimer(signal);
  state.step.end(signal);
};

const passSilence = (state: PartitionState, slot: number): void => {
  const signal = state.signals.at(slot);
  if (signal === null) {
    state.noDataTimers.remove(slot);
    return;
  }
  if (!state.noData.isDue(signal)) return;
  state.beforeChange(signal);
  state.noData.start(signal);
  state.step.end(signal);
};
