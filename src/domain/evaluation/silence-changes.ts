import type { Change } from "../../../schemas/change.ts";
import type { RuleId, SilenceId } from "../../../schemas/common.ts";
import type { DueHeap } from "./due-heap.ts";
import { COSTS, type Slices } from "./pace.ts";
import type { PartitionState } from "./partition-state.ts";
import type { SignalState } from "./signal-state.ts";
import { type CompiledSilence, covers } from "./silence-book.ts";

/**
 * Applies a silence; what another revision of it held back and this one does not is told now. One until resolved takes
 * what fires when it is made: another revision only lets go, else an edit of its reason would silence what came since.
 */
export function* applySilence(state: PartitionState, next: CompiledSilence): Slices {
  const { id, untilResolved } = next.silence;
  const old = state.silences.get(id);
  if (state.deletedSilences.has(id, state.clocks.recordMs)) return;
  if (old !== undefined && old.revision >= next.revision) return;
  state.silences.set(next, state.clocks.recordMs);
  if (old === undefined) {
    if (untilResolved) yield* silenceFiring(state, next);
    return;
  }
  yield* release(state, (signal, ruleId) => !untilResolved || !covers(next, signal, ruleId), id);
  yield* retellAll(state);
}

export function* deleteSilence(
  state: PartitionState,
  { silenceId, revision }: Extract<Change, { type: "silenceDeleted" }>,
): Slices {
  const nowMs = state.clocks.recordMs;
  const old = state.silences.get(silenceId);
  if (old !== undefined && revision < old.revision) return;
  if (state.deletedSilences.has(silenceId, nowMs)) return;
  state.deletedSilences.add({ id: silenceId, revision, deletedAtMs: nowMs });
  if (old === undefined) return;
  state.silences.delete(silenceId, nowMs);
  yield* release(state, () => true, silenceId);
  yield* retellAll(state);
}

/** Time has come to the newest record: what silences that are over held back, and goes on, is told now. */
export function* passSilences(state: PartitionState): Slices {
  const { silences, clocks } = state;
  if (clocks.recordMs < silences.nextChangeMs) return;
  silences.advance(clocks.recordMs);
  yield* retellAll(state);
}

/** Each alert that fires now is silent until it resolves. */
function* silenceFiring(state: PartitionState, silence: CompiledSilence): Slices {
  const { id } = silence.silence;
  for (const signal of state.signals.all()) {
    state.pace.spend(COSTS.look);
    if (state.pace.isOver) yield;
    const covered = signal.conditions.filter(
      ({ level, rule, silencedBy }) =>
        level >= 0 && !silencedBy.includes(id) && covers(silence, signal, rule.rule.id),
    );
    if (covered.length === 0) continue;
    state.beforeChange(signal);
    for (const condition of covered) condition.silencedBy = [...condition.silencedBy, id].sort();
    state.step.held.add(signal.slot);
  }
}

type Releases = (signal: SignalState, ruleId: RuleId) => boolean;

function* release(state: PartitionState, releases: Releases, silenceId: SilenceId): Slices {
  for (const slot of state.step.held) {
    const signal = state.signals.at(slot);
    state.pace.spend(COSTS.look);
    if (state.pace.isOver) yield;
    const freed = signal?.conditions.filter(
      ({ silencedBy, rule }) => silencedBy.includes(silenceId) && releases(signal, rule.rule.id),
    );
    if (signal === null || freed === undefined || freed.length === 0) continue;
    state.beforeChange(signal);
    for (const condition of freed)
      condition.silencedBy = condition.silencedBy.filter((id) => id !== silenceId);
  }
}

/** Of every signal of which something is held back, by id: slots would not be the same after a restart. */
function* retellAll(state: PartitionState): Slices {
  const signals: DueHeap = state.heap();
  for (const slot of state.step.held) {
    signals.set(slot, 0);
    state.pace.spend(COSTS.look);
    if (state.pace.isOver) yield;
  }
  for (let slot = signals.firstDue(0); slot >= 0; slot = signals.firstDue(0)) {
    signals.remove(slot);
    const signal = state.signals.at(slot);
    if (signal !== null) retell(state, signal);
    if (signal === null || !isHeld(signal)) state.step.held.delete(slot);
    if (state.pace.isOver) yield;
  }
}

const retell = (state: PartitionState, signal: SignalState): void => {
  state.pace.spend(COSTS.look);
  if (!isHeld(signal)) return;
  state.beforeChange(signal);
  state.alerts.retell(signal);
  state.step.end(signal);
};

export const isHeld = ({ heldFailure, conditions }: SignalState): boolean =>
  heldFailure !== null || conditions.some(({ held, silencedBy }) => held !== null || silencedBy.length > 0);
