import { levelsFor } from "../../../../schemas/rule-limits.ts";
import { Selector } from "../../../domain/evaluation/selector.ts";
import type { Rule, Signal } from "../../api/types.ts";

/** Of more, a chart could not be read. */
const SHOWN_MAX = 8;

export interface RulesOn {
  /** Those that fail the signal first. */
  readonly shown: readonly Rule[];
  /** How many more there are. */
  readonly others: number;
}

/** The rules that look at a signal, as it is now. */
export const rulesOn = (
  rules: readonly Rule[],
  signal: Pick<Signal, "id" | "labels" | "sourceId">,
): RulesOn => {
  const looking = rules.filter(
    (rule) =>
      rule.enabled && new Selector(rule.select).takes(signal) && levelsFor(rule, signal.labels) !== null,
  );
  const [failing, telling] = [true, false].map((fails) =>
    looking.filter(({ failsSignal }) => failsSignal === fails),
  );
  const shown = [...(failing ?? []), ...(telling ?? [])].slice(0, SHOWN_MAX);
  return { shown, others: looking.length - shown.length };
};
