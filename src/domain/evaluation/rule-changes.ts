import type { ResolveReason } from "../../../schemas/alert.ts";
import type { AccountId, RuleId } from "../../../schemas/common.ts";
import type { CompiledRule, RuleTemplate } from "./compiled-rule.ts";
import type { DueHeap } from "./due-heap.ts";
import { COSTS, type Slices } from "./pace.ts";
import type { PartitionState } from "./partition-state.ts";
import { judgesAlike } from "./rule-book.ts";
import type { SignalState } from "./signal-state.ts";

/** Applies a rule; what it judged before it changed is resolved, and it judges anew from the next reading on. */
export function* applyRule(state: PartitionState, next: RuleTemplate): Slices {
  const { id } = next.rule;
  const old = state.rules.get(id);
  if (state.deletedRules.has(id, state.clocks.recordMs)) return;
  if (old !== undefined && old.revision >= next.revision) return;
  state.rules.set(next);
  if (old === undefined) {
    yield* reselect(state, next.accountId);
    return;
  }
  const holders = yield* holding(state, old);
  yield* reselect(state, next.accountId);
  // Those that live on under the new name leave the heap here, and nothing is left to end.
  if (judgesAlike(old.rule, next.rule)) yield* exchange(state, holders);
  yield* endOn(state, holders, old, "ruleChanged");
}

export function* deleteRule(
  state: PartitionState,
  change: { accountId: AccountId; ruleId: RuleId; revision: number },
): Slices {
  const { ruleId, revision } = change;
  const nowMs = state.clocks.recordMs;
  const old = state.rules.get(ruleId);
  if (old !== undefined && revision < old.revision) return;
  if (state.deletedRules.has(ruleId, nowMs)) return;
  state.deletedRules.add({ id: ruleId, revision, deletedAtMs: nowMs });
  if (old === undefined) return;
  state.rules.delete(ruleId);
  const holders = yield* holding(state, old);
  yield* reselect(state, old.accountId);
  yield* endOn(state, holders, old, "ruleDeleted");
}

/** The signals on which the rule is not idle, to be taken by id: slots would not be the same after a restart. */
function* holding(state: PartitionState, rule: RuleTemplate): Slices<DueHeap> {
  const holders = state.heap();
  for (const signal of state.signals.all()) {
    if (isConcerned(signal, rule)) holders.set(signal.slot, 0);
    state.pace.spend(COSTS.look);
    if (state.pace.isOver) yield;
  }
  return holders;
}

/** Does something to each of the signals, which leave the heap by it. */
function* toEach(state: PartitionState, holders: DueHeap, act: (signal: SignalState) => void): Slices {
  for (let slot = holders.firstDue(0); slot >= 0; slot = holders.firstDue(0)) {
    holders.remove(slot);
    const signal = state.signals.at(slot);
    if (signal === null) continue;
    state.beforeChange(signal);
    act(signal);
    state.pace.spend(COSTS.look);
    if (state.pace.isOver) yield;
  }
}

/** Of a rule, as a signal knows it. */
const isOf =
  ({ rule }: RuleTemplate) =>
  (known: { readonly rule: CompiledRule }): boolean =>
    known.rule.rule === rule;

const isConcerned = ({ conditions, flaps, windows }: SignalState, rule: RuleTemplate): boolean =>
  conditions.some(isOf(rule)) || flaps.some(isOf(rule)) || (windows?.has(rule.rule.id) ?? false);

/** A rename: whatever is pending or firing goes on under the new name. */
const exchange = (state: PartitionState, holders: DueHeap): Slices =>
  toEach(state, holders, (signal) => {
    state.ruleConditions.renew(signal);
    state.step.end(signal);
  });

const endOn = (state: PartitionState, holders: DueHeap, rule: RuleTemplate, reason: ResolveReason): Slices =>
  toEach(state, holders, (signal) => {
    state.ruleConditions.endAll(signal, reason, (known) => known.rule === rule.rule);
    signal.windows?.delete(rule.rule.id);
    state.step.end(signal);
  });

function* reselect(state: PartitionState, accountId: AccountId): Slices {
  const cost = COSTS.look + COSTS.match * state.rules.size;
  for (const signal of state.signals.all()) {
    state.pace.spend(cost);
    if (state.pace.isOver) yield;
    if (signal.accountId !== accountId) continue;
    signal.rouse();
    signal.rules = state.rules.matching(accountId, signal);
    // A rule on no data may be due earlier than what was waited for.
    if (!state.noDataTimers.has(signal.slot) || signal.rules.some(({ silenceMs }) => silenceMs !== null))
      state.noData.arm(signal);
  }
}
