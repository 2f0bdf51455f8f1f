import type { Change } from "../../../schemas/change.ts";
import type { SourceId } from "../../../schemas/common.ts";
import { partitionOf } from "../partition.ts";
import { RuleTemplate } from "./compiled-rule.ts";
import { iso } from "./iso.ts";
import { COSTS, type Slices } from "./pace.ts";
import type { PartitionState } from "./partition-state.ts";
import { applyRule, deleteRule } from "./rule-changes.ts";
import { applySignal, deleteSignal } from "./signal-changes.ts";
import { compileSilence } from "./silence-book.ts";
import { applySilence, deleteSilence } from "./silence-changes.ts";
import type { SourceFlow } from "./source-flows.ts";

/** False: the change is a signal's of another partition. */
export function* applyChange(state: PartitionState, change: Change): Slices<boolean> {
  state.pace.spend(COSTS.change);
  switch (change.type) {
    case "signal":
      if (!isHere(state, change.signal.id)) return false;
      applySignal(state, change.signal);
      return true;
    case "signalDeleted":
      if (!isHere(state, change.signalId)) return false;
      deleteSignal(state, change);
      return true;
    case "rule":
      yield* applyRule(state, new RuleTemplate(change.accountId, change.revision, change.rule));
      return true;
    case "ruleDeleted":
      yield* deleteRule(state, change);
      return true;
    case "silence":
      yield* applySilence(state, compileSilence(change.accountId, change.revision, change.silence));
      return true;
    case "silenceDeleted":
      yield* deleteSilence(state, change);
      return true;
    case "acknowledged":
      if (!isHere(state, change.signalId)) return false;
      acknowledge(state, change);
      return true;
    case "sourceFlow":
      yield* applyFlow(state, change.sourceId, change.paused);
      return true;
  }
}

const isHere = ({ of }: PartitionState, signalId: string): boolean =>
  partitionOf(signalId, of.partitions) === of.partition;

const acknowledge = (
  state: PartitionState,
  { accountId, signalId, alertId, at, by, note }: Extract<Change, { type: "acknowledged" }>,
): void => {
  const signal = state.signals.get(signalId);
  if (signal === null || signal.accountId !== accountId) return;
  state.beforeChange(signal);
  state.ruleConditions.acknowledge(signal, alertId, { at: iso(at), by, note });
  state.step.end(signal);
};

function* applyFlow(state: PartitionState, sourceId: SourceId, paused: boolean): Slices {
  const { flows, clocks } = state;
  if (paused) {
    flows.of(sourceId).pause(clocks.noDataMs);
    return;
  }
  const flow = flows.get(sourceId);
  if (flow === undefined) return;
  flow.resume(clocks.noDataMs);
  yield* unpark(state, flow);
  flows.dropUnused(flow);
}

/** What was due while the source stood still is looked at anew. */
function* unpark({ noData, signals, pace }: PartitionState, flow: SourceFlow): Slices {
  for (const slot of flow.takeParked()) {
    const signal = signals.at(slot);
    if (signal?.flow === flow) noData.unpark(signal);
    pace.spend(COSTS.look);
    if (pace.isOver) yield;
  }
}
