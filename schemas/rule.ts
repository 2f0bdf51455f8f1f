import { z } from "zod";
import {
  Labels,
  RuleId,
  SignalId,
  SourceId,
  STRENGTH_MAX_DBM,
  STRENGTH_MIN_DBM,
  Timestamp,
} from "./common.ts";

/** Hysteresis of a rule on strength, in dB; a rule on quality takes 0.05. */
export const DEFAULT_RULE_HYSTERESIS_DB = 3;
export const DEFAULT_RULE_HYSTERESIS_QUALITY = 0.05;

export const Severity = z.enum(["info", "warning", "critical"]);
export type Severity = z.infer<typeof Severity>;

/** Which signals a rule looks at: all that is named must match; nothing named means every signal. */
export const Selection = z.strictObject({
  signalIds: z.array(SignalId).min(1).max(1000).optional(),
  labels: Labels.optional(),
  sourceId: SourceId.optional(),
});
export type Selection = z.infer<typeof Selection>;

/**
 * `below`: fires at x < value, clears at x >= value + hysteresis. `above`: mirrored. `outside`: fires at
 * x < value or x > upper, clears when back inside by the hysteresis. `x` is dBm, or quality from 0 to 1.
 */
export const Condition = z
  .strictObject({
    metric: z.enum(["strength", "quality"]).default("strength"),
    operator: z.enum(["below", "above", "outside"]),
    value: z.number(),
    upper: z.number().optional(),
    hysteresis: z.number().min(0).max(250).optional(),
  })
  .superRefine((condition, context) => {
    const problem = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    const [low, high] = condition.metric === "quality" ? [0, 1] : [STRENGTH_MIN_DBM, STRENGTH_MAX_DBM];
    const unit = condition.metric === "quality" ? "" : " dBm";
    for (const key of ["value", "upper"] as const) {
      const limit = condition[key];
      if (limit !== undefined && (limit < low || limit > high)) {
        problem(key, `must be from ${low} to ${high}${unit}, else the rule could never change`);
      }
    }
    if (condition.operator === "outside") {
      if (condition.upper === undefined) problem("upper", "is needed by the operator outside");
      else if (condition.upper <= condition.value) problem("upper", "must be above value");
      else if (2 * effectiveHysteresis(condition) > condition.upper - condition.value) {
        problem("hysteresis", "is more than half of the band: the rule could never clear");
      }
    } else if (condition.upper !== undefined) {
      problem("upper", `is not used by the operator ${condition.operator}`);
    }
  });
export type Condition = z.infer<typeof Condition>;

/** dB, or a share of quality: what the condition says, else the default of its metric. */
export const effectiveHysteresis = (condition: {
  metric: "strength" | "quality";
  hysteresis?: number | undefined;
}): number =>
  condition.hysteresis ??
  (condition.metric === "quality" ? DEFAULT_RULE_HYSTERESIS_QUALITY : DEFAULT_RULE_HYSTERESIS_DB);

const settings = {
  name: z.string().trim().min(1).max(200),
  enabled: z.boolean(),
  severity: Severity,
  select: Selection,
  condition: Condition,
  forSeconds: z.number().min(0).max(86_400),
  keepFiringForSeconds: z.number().min(0).max(86_400),
  failsSignal: z.boolean(),
};

export const RuleCreate = z.strictObject({
  name: settings.name,
  enabled: settings.enabled.default(true),
  severity: settings.severity.default("warning"),
  select: settings.select.default({}),
  condition: settings.condition,
  forSeconds: settings.forSeconds.default(0),
  keepFiringForSeconds: settings.keepFiringForSeconds.default(0),
  failsSignal: settings.failsSignal.default(true),
});
export type RuleCreate = z.infer<typeof RuleCreate>;

export const RulePatch = z
  .strictObject(settings)
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, "names no field to change");
export type RulePatch = z.infer<typeof RulePatch>;

export const Rule = z.strictObject({ id: RuleId, ...settings, createdAt: Timestamp, updatedAt: Timestamp });
export type Rule = z.infer<typeof Rule>;

export const RulesAnswer = z.strictObject({ rules: z.array(Rule), nextCursor: z.string().nullable() });
