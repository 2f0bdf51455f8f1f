import type { Rule } from "../../../schemas/rule.ts";
import type { ReferenceAccount } from "./account.ts";
import { leave } from "./alerts.ts";
import { forgetFlapping } from "./flapping.ts";
import { follow } from "./looking.ts";
import type { Step } from "./step.ts";

const JUDGED = [
  "enabled",
  "severity",
  "select",
  "condition",
  "levels",
  "forSeconds",
  "keepFiringForSeconds",
  "failsSignal",
  "schedule",
] as const;
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const judgesAlike = (a: Rule, b: Rule): boolean => JUDGED.every((key) => isSame(a[key], b[key]));

interface RuleChange {
  readonly revision: number;
  readonly rule: Pick<Rule, "id">;
}

/** `rule` null: it is deleted. */
export const applyRule = (
  account: ReferenceAccount,
  rule: Rule | null,
  { revision, rule: { id } }: RuleChange,
): void => {
  const known = account.rules.get(id);
  if (known !== undefined && (known.rule === null || revision <= known.revision)) return;
  account.rules.set(id, { revision, rule });
  for (const signal of account.signals) account.step(signal, (step) => replaceRule(step, id, rule));
};

const replaceRule = (step: Step, id: string, rule: Rule | null): void => {
  const watch = step.signal.watches.get(id);
  if (watch !== undefined && rule !== null && judgesAlike(watch.rule, rule)) {
    watch.rule = rule;
    if (!rule.flapDetection) forgetFlapping(step, watch);
    return;
  }
  if (watch !== undefined) leave(step, watch, rule === null ? "ruleDeleted" : "ruleChanged");
  if (rule !== null) follow(step, rule);
};
