import type { BacktestRequest } from "../../../schemas/backtest.ts";
import { type AccountId, RuleId } from "../../../schemas/common.ts";
import { Rule } from "../../../schemas/rule.ts";
import type { Rules } from "../../ports/control-store.ts";
import { timestamp } from "../answers.ts";
import { notFound, validationFailed } from "../problem.ts";
import { bounded } from "../readings-span.ts";

/** For a rule that has none: nothing else is evaluated beside it. */
const UNSAVED_ID = RuleId.parse("rul_00000000000000000000000000");

/** The rule under test; it is tested whether it is enabled or not. */
export const ruleUnderTest = async (
  rules: Rules,
  accountId: AccountId,
  { rule, ruleId }: BacktestRequest,
  nowMs: number,
): Promise<Rule> => {
  const now = timestamp(nowMs);
  if (rule !== undefined)
    return Rule.parse({ ...rule, enabled: true, id: UNSAVED_ID, createdAt: now, updatedAt: now });
  const stored = ruleId === undefined ? null : await rules.get(accountId, ruleId);
  if (stored === null) throw notFound("rule of this id");
  return { ...stored.rule, enabled: true };
};

/** `[fromMs, toMs)`; no later than now, for what is not past yet may still come otherwise. */
export const pastSpan = ({ from, to }: BacktestRequest, nowMs: number) => {
  const fromMs = bounded(Date.parse(from));
  const toMs = bounded(to === undefined ? nowMs : Math.min(Date.parse(to), nowMs));
  if (fromMs >= toMs) throw validationFailed([{ path: "from", message: "must be in the past" }]);
  return { fromMs, toMs };
};
