import type { SignalDefinition } from "../../../schemas/change.ts";
import type { AccountId } from "../../../schemas/common.ts";
import type { Rule } from "../../../schemas/rule.ts";
import { RuleTemplate } from "../evaluation/compiled-rule.ts";

/** Which signals a rule looks at, as the evaluator finds them. */
export const selector = (accountId: AccountId, rule: Rule): ((signal: SignalDefinition) => boolean) => {
  const template = new RuleTemplate(accountId, 1, rule);
  return (signal) => template.for(signal) !== null;
};
