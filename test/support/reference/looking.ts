import type { Rule } from "../../../schemas/rule.ts";
import type { ReferenceAccount } from "./account.ts";
import { leave, tellUnheld } from "./alerts.ts";
import { limitsOf } from "./limits.ts";
import { selects } from "./selection.ts";
import { byId, newWatch, type SignalState } from "./state.ts";
import type { Step } from "./step.ts";

/** Each rule, in order: whether it looks at the signal as that is now. */
export const lookAnew = (account: ReferenceAccount, step: Step): void => {
  for (const { rule } of byId(account.rules)) if (rule !== null) follow(step, rule);
};

export const follow = (step: Step, rule: Rule): void => {
  const { signal } = step;
  const watch = signal.watches.get(rule.id);
  const limits = limitsFor(rule, signal);
  if (limits === null && watch !== undefined)
    leave(step, watch, signal.definition.paused ? "paused" : "ruleChanged");
  else if (limits !== null && watch === undefined) signal.watches.set(rule.id, newWatch(rule, limits));
  else if (limits !== null && watch !== undefined) {
    watch.limits = limits;
    tellUnheld(step, watch);
  }
};

/** Null where the rule does not look at the signal. */
const limitsFor = (rule: Rule, { definition }: SignalState) =>
  rule.enabled && !definition.paused && selects(rule.select, definition) ? limitsOf(rule, definition) : null;
