import type { Labels } from "./common.ts";
import { isOutOfReach, limitFound, type Severity } from "./condition.ts";
import type { Rule } from "./rule.ts";

/** A severity, and from where on an alert has it. */
export interface LevelFound {
  readonly severity: Severity;
  /** As the rule or the signal's label has it: dBm, quality, dB of a change, or seconds of silence. */
  readonly value: number;
  /** The upper end of a band; else as `value`. */
  readonly upper: number;
}

/** What a rule compares a signal of these labels with, mildest first; null: it has no limit for it, and rests on it. */
export const levelsFor = (
  { condition, levels, severity }: Pick<Rule, "condition" | "levels" | "severity">,
  labels: Labels,
): LevelFound[] | null => {
  const level = (value: number, upper = value) => [{ severity, value, upper }];
  const { operator, valueFrom, value, upperFrom, upper, overSeconds = 0 } = condition;
  if (operator === "noData") return level(overSeconds);
  if (levels !== null) return levels.map((one) => ({ ...one, upper: one.value }));
  const low = limitFound(condition, valueFrom?.label, value, labels)?.value ?? null;
  if (low === null || operator !== "outside") return low === null ? null : level(low);
  const high = limitFound(condition, upperFrom?.label, upper, labels)?.value ?? null;
  if (high === null || high <= low || isOutOfReach(condition, low, high)) return null;
  return level(low, high);
};
