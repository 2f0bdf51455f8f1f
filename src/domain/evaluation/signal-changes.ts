import type { Change, SignalDefinition } from "../../../schemas/change.ts";
import type { PartitionState } from "./partition-state.ts";
import { sameJson } from "./same.ts";
import { NEVER, type SignalState } from "./signal-state.ts";
import { statusOf } from "./signal-view.ts";
import { isHeld } from "./silence-changes.ts";
import { sourceMs } from "./source-flows.ts";
import type { Previous } from "./step.ts";

/** The fields that the API shows of a definition and that a change may move. */
const SHOWN = [
  "name",
  "externalId",
  "labels",
  "threshold",
  "floorDbm",
  "ceilingDbm",
  "hysteresis",
  "noDataAfterSeconds",
] as const satisfies readonly (keyof SignalDefinition)[];

const previousOf = (before: SignalDefinition, after: SignalDefinition): Previous => {
  const previous: Previous = {};
  for (const field of SHOWN) {
    if (!sameJson(before[field], after[field])) Object.assign(previous, { [field]: before[field] });
  }
  return previous;
};

const movesThreshold = (previous: Previous): boolean =>
  previous.threshold !== undefined ||
  previous.floorDbm !== undefined ||
  previous.ceilingDbm !== undefined ||
  previous.hysteresis !== undefined;

/** Applies what control data says of a signal; an older or equal revision is a copy, and ignored. */
export const applySignal = (state: PartitionState, definition: SignalDefinition): void => {
  if (state.deletedSignals.has(definition.id, state.clocks.recordMs)) return;
  const signal = state.signals.get(definition.id);
  if (signal === null) createSignal(state, definition);
  else if (definition.revision > signal.revision) updateSignal(state, signal, definition);
};

/** Puts a signal into the state without a word: for a new one, and for one out of a snapshot. */
export const admitSignal = (state: PartitionState, definition: SignalDefinition): SignalState => {
  const flow = definition.sourceId === null ? null : state.flows.join(definition.sourceId);
  const signal = state.signals.add(definition, flow);
  signal.rules = state.rules.matching(definition.accountId, definition);
  return signal;
};

const createSignal = (state: PartitionState, definition: SignalDefinition): void => {
  const signal = admitSignal(state, definition);
  state.observer?.created(signal);
  state.emitter.emit(signal, "signal.created", {});
};

const updateSignal = (state: PartitionState, signal: SignalState, definition: SignalDefinition): void => {
  const { step, ruleConditions } = state;
  const before = signal.definition;
  const toggled: Previous = before.paused === definition.paused ? {} : { status: statusOf(signal) };
  const previous = previousOf(before, definition);
  state.beforeChange(signal);
  step.touch(signal);
  state.signals.define(signal, definition);
  if (definition.paused && !before.paused) pause(state, signal);
  if (previous.labels !== undefined) {
    signal.rules = state.rules.matching(signal.accountId, signal);
    const ids = new Set(signal.rules.map(({ rule }) => rule.id));
    ruleConditions.endAll(signal, "ruleChanged", ({ rule }) => !ids.has(rule.id));
    ruleConditions.renew(signal);
    for (const id of signal.windows?.keys() ?? []) if (!ids.has(id)) signal.windows?.delete(id);
    state.noData.arm(signal);
    if (isHeld(signal)) state.alerts.retell(signal);
  }
  if (before.paused && !definition.paused) resume(state, signal);
  if (!definition.paused && !before.paused) reevaluate(state, signal, previous);
  step.endChange(signal, { ...previous, ...toggled });
};

const pause = (state: PartitionState, signal: SignalState): void => {
  state.ruleConditions.endAll(signal, "paused", () => true);
  state.threshold.end(signal);
  state.noData.disarm(signal);
  signal.change({ windows: null });
};

/** A clean start; a signal that was heard before is expected again from now on. */
const resume = (state: PartitionState, signal: SignalState): void => {
  if (signal.newestAtMs === NEVER) return;
  signal.lastDataMs = sourceMs(state.clocks, signal.flow);
  state.noData.arm(signal);
};

const reevaluate = (state: PartitionState, signal: SignalState, previous: Previous): void => {
  if (movesThreshold(previous)) state.threshold.compareAnew(signal);
  if (previous.noDataAfterSeconds !== undefined) state.noData.rearm(signal);
};

type SignalDeleted = Extract<Change, { type: "signalDeleted" }>;

/** Ends a signal; its tombstone keeps late copies of older changes from bringing it back. */
export const deleteSignal = (state: PartitionState, { signalId, revision }: SignalDeleted): void => {
  const signal = state.signals.get(signalId);
  const nowMs = state.clocks.recordMs;
  if (signal !== null && revision < signal.revision) return;
  if (state.deletedSignals.has(signalId, nowMs)) return;
  state.deletedSignals.add({ id: signalId, revision, deletedAtMs: nowMs });
  if (signal === null) return;
  state.beforeChange(signal);
  state.step.touch(signal);
  state.ruleConditions.endAll(signal, "signalDeleted", () => true);
  state.threshold.end(signal);
  state.noData.disarm(signal);
  state.step.endDeletion(signal);
  state.signals.remove(signal);
  if (signal.flow !== null) state.flows.leave(signal.flow);
};
