import { limitFound } from "../../../../schemas/condition.ts";
import type { Signal } from "../../api/types.ts";
import { bandEnds, type RuleLimit } from "../../chart/limits.ts";
import { levelsOf, type RuleDraft } from "./rule-draft.ts";

const numberOf = (typed: string): number | null =>
  typed.trim() === "" || Number.isNaN(Number(typed)) ? null : Number(typed);

/** The limits of a rule on a signal, as far as they are typed, or its own: the only one, of each level, or of each end of a band. */
export const limitsTyped = (draft: RuleDraft, labels: Signal["labels"]): RuleLimit[] => {
  const { operator, value, valueLabel, upper, upperLabel } = draft;
  const levels = levelsOf(draft);
  if (levels !== null)
    return levels.flatMap(({ severity, value: typed }) => {
      const limit = numberOf(typed);
      return limit === null ? [] : [{ value: limit, name: severity }];
    });
  const lower = limitFound(draft, valueLabel, numberOf(value), labels);
  if (operator === "outside") return bandEnds(lower, limitFound(draft, upperLabel, numberOf(upper), labels));
  return lower === null ? [] : [lower];
};

/** What to change of a rule of which somebody has dragged one of its limits: nothing, where an end of a band would cross the other. */
export const withLimit = (
  draft: RuleDraft,
  limits: readonly RuleLimit[],
  { name, isUpperEnd = false }: RuleLimit,
  value: string,
) => {
  const other = draft.operator === "outside" ? limits.find((limit) => limit.name !== name)?.value : undefined;
  if (other !== undefined && (isUpperEnd ? Number(value) <= other : Number(value) >= other)) return {};
  if (isUpperEnd) return { upper: value };
  const levels = levelsOf(draft);
  if (levels === null) return { value };
  return { levels: levels.map((level) => (level.severity === name ? { ...level, value } : level)) };
};

/** A limit that was dragged to a strength, as it is typed: quality to the hundredth, dBm as they are. */
export const typedOf = (
  { metric }: Pick<RuleDraft, "metric">,
  dbm: number,
  { floorDbm, ceilingDbm }: Pick<Signal, "floorDbm" | "ceilingDbm">,
): string => {
  if (metric === "strength") return String(dbm);
  return String(Math.round(((dbm - floorDbm) / (ceilingDbm - floorDbm)) * 100) / 100);
};
