import type { AccountId, Labels } from "../../schemas/common.ts";
import type { Condition } from "../../schemas/condition.ts";
import type { Rule } from "../../schemas/rule.ts";
import { RuleTemplate } from "./evaluation/compiled-rule.ts";

/** Where a rule takes a limit from its signals' labels. */
export interface LimitLabel {
  readonly path: "condition.valueFrom.label" | "condition.upperFrom.label";
  readonly label: string;
  /** For signals that have no such limit; not given: the rule rests on them. */
  readonly otherwise: number | undefined;
  /** Whether labels have a limit there that the rule can use. */
  readonly isUsable: (labels: Labels) => boolean;
}

/** Whether a rule has limits for signals of these labels, else it rests on them: the evaluator's own reading is asked. */
export const hasLimits = (accountId: AccountId, rule: Rule): ((labels: Labels) => boolean) => {
  const template = new RuleTemplate(accountId, 1, { ...rule, enabled: true, select: {} });
  return (labels) => template.for({ id: "", sourceId: null, labels }) !== null;
};

/** A rule with this one limit, and without another one for those that lack it. */
const alone = (rule: Rule, operator: "below" | "above", valueFrom: Condition["valueFrom"]): Rule => {
  const { metric } = rule.condition;
  return { ...rule, levels: null, schedule: null, condition: { metric, operator, valueFrom } };
};

/** The labels that a rule's limits come from. */
export const limitLabels = (accountId: AccountId, rule: Rule): LimitLabel[] => {
  const { operator, value, valueFrom, upper, upperFrom } = rule.condition;
  // The lower end of a band may be where its range ends, but not the upper end of all.
  const low = operator === "below" ? "below" : "above";
  const found: LimitLabel[] = [];
  if (valueFrom !== undefined) {
    const isUsable = hasLimits(accountId, alone(rule, low, valueFrom));
    found.push({ path: "condition.valueFrom.label", label: valueFrom.label, otherwise: value, isUsable });
  }
  if (upperFrom !== undefined) {
    const isUsable = hasLimits(accountId, alone(rule, "below", upperFrom));
    found.push({ path: "condition.upperFrom.label", label: upperFrom.label, otherwise: upper, isUsable });
  }
  return found;
};
