import type { AccountId, RuleId } from "../../../schemas/common.ts";
import type { ResolveReason } from "../../../schemas/event.ts";
import type { PartitionState } from "./partition-state.ts";
import { type CompiledRule, judgesAlike } from "./rule-book.ts";
import type { SignalState } from "./signal-state.ts";

/** Applies a rule; what it judged before it changed is resolved, and it judges anew from the next reading on. */
export const applyRule = (state: PartitionState, next: CompiledRule): void => {
  const { id } = next.rule;
  const old = state.rules.get(id);
  if (state.deletedRules.has(id, state.clocks.recordMs)) return;
  if (old !== undefined && old.revision >= next.revision) return;
  const alike = old !== undefined && judgesAlike(old.rule, next.rule);
  const holders = old === undefined ? [] : holding(state, old);
  state.rules.set(next);
  if (alike) exchange(state, holders, old, next);
  reselect(state, next.accountId);
  if (!alike && old !== undefined) endOn(state, holders, old, "ruleChanged");
};

export const deleteRule = (
  state: PartitionState,
  change: { accountId: AccountId; ruleId: RuleId; revision: number },
): void => {
  const { ruleId, revision } = change;
  const nowMs = state.clocks.recordMs;
  const old = state.rules.get(ruleId);
  if (old !== undefined && revision < old.revision) return;
  if (state.deletedRules.has(ruleId, nowMs)) return;
  state.deletedRules.add({ id: ruleId, revision, deletedAtMs: nowMs });
  if (old === undefined) return;
  const holders = holding(state, old);
  state.rules.delete(ruleId);
  reselect(state, old.accountId);
  endOn(state, holders, old, "ruleDeleted");
};

/** The signals on which the rule is not idle, by id: slots would not be the same after a restart. */
const holding = (state: PartitionState, rule: CompiledRule): SignalState[] =>
  [...state.signals.all()]
    .filter(({ conditions }) => conditions.some((condition) => condition.rule === rule))
    .sort((a, b) => (a.id < b.id ? -1 : 1));

/** A rename: whatever is pending or firing goes on under the new name. */
const exchange = (
  state: PartitionState,
  holders: SignalState[],
  old: CompiledRule,
  next: CompiledRule,
): void => {
  for (const signal of holders) {
    state.beforeChange(signal);
    for (const condition of signal.conditions) if (condition.rule === old) condition.rule = next;
  }
};

const reselect = (state: PartitionState, accountId: AccountId): void => {
  for (const signal of state.signals.all()) {
    if (signal.definition.accountId !== accountId) continue;
    signal.rouse();
    signal.rules = state.rules.matching(accountId, signal.definition);
  }
};

const endOn = (
  state: PartitionState,
  holders: SignalState[],
  rule: CompiledRule,
  reason: ResolveReason,
): void => {
  for (const signal of holders) {
    state.beforeChange(signal);
    state.ruleConditions.endAll(signal, reason, (condition) => condition.rule === rule);
    state.step.end(signal);
  }
};
