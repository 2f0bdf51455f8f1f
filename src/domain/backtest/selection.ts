import type { SignalDefinition } from "../../../schemas/change.ts";
import type { AccountId } from "../../../schemas/common.ts";
import type { Rule } from "../../../schemas/rule.ts";
import { compileRule, selects } from "../evaluation/rule-book.ts";

/** Which signals a rule looks at, as the evaluator finds them. */
export const selector = (accountId: AccountId, rule: Rule): ((signal: SignalDefinition) => boolean) => {
  const compiled = compileRule(accountId, 1, rule);
  return (signal) => selects(compiled, signal);
};
