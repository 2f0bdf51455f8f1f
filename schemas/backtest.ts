import { z } from "zod";
import { RuleId, SignalId, Timestamp, TimestampInput } from "./common.ts";
import { Severity } from "./condition.ts";
import { RuleCreate, Warning } from "./rule.ts";

export const BACKTEST_SIGNALS_MAX = 10_000;
export const BACKTEST_READINGS_MAX = 10_000_000;
/** Firings that are given one by one; all are counted. */
export const BACKTEST_FIRINGS_MAX = 1_000;
/** Steps of severity that are given of one firing: the first; all are counted. */
export const BACKTEST_STEPS_MAX = 20;
/** Flapping signals that are given: those that change most. */
export const BACKTEST_FLAPPING_MAX = 50;

interface Asked {
  readonly rule?: unknown;
  readonly ruleId?: unknown;
  readonly from: string;
  readonly to?: string | undefined;
}
const problemOf = ({ rule, ruleId, from, to }: Asked): readonly [path: string, message: string] | null => {
  if (rule === undefined && ruleId === undefined) return ["rule", "is needed, or ruleId"];
  if (rule !== undefined && ruleId !== undefined) return ["ruleId", "stands beside rule: give one of them"];
  return to !== undefined && Date.parse(from) >= Date.parse(to) ? ["from", "must be before to"] : null;
};

/** A rule, saved or not, and the past that it is tried on. */
export const BacktestRequest = z
  .strictObject({
    rule: RuleCreate.optional().describe("As POST /v1/alerts/rules takes it. Nothing is stored."),
    ruleId: RuleId.optional().describe("Instead of `rule`: a saved one, as it is now."),
    from: TimestampInput,
    to: TimestampInput.optional().describe("Default: now."),
  })
  .superRefine((asked, context) => {
    const problem = problemOf(asked);
    if (problem === null) return;
    const [path, message] = problem;
    context.addIssue({ code: "custom", path: [path], message });
  });
export type BacktestRequest = z.infer<typeof BacktestRequest>;

const count = z.number().int().min(0);

/** The alert goes up or down between the levels of its rule. */
export const SeverityStep = z.strictObject({
  at: Timestamp,
  severity: Severity,
  previousSeverity: Severity,
  value: z.number().nullable().describe("What was compared then, as the rule does."),
});
export type SeverityStep = z.infer<typeof SeverityStep>;

/** An alert that would have been. */
export const BacktestFiring = z.strictObject({
  signalId: SignalId,
  from: Timestamp,
  to: Timestamp.nullable().describe("Null: it was still firing at the end of the span."),
  severity: Severity.describe("The hardest that it had."),
  worst: z.number().nullable().describe("The value farthest beyond the limit, as the rule compares it."),
  steps: z
    .array(SeverityStep)
    .describe(
      `How its severity changed, of a rule with levels; oldest first, the first ${BACKTEST_STEPS_MAX}.`,
    ),
  stepCount: count.describe("All of them."),
});
export type BacktestFiring = z.infer<typeof BacktestFiring>;

export const Remedy = z.strictObject({
  change: z
    .strictObject({
      hysteresis: z.number().optional(),
      forSeconds: z.number().optional(),
      overSeconds: z.number().optional(),
    })
    .describe(
      "What would be different about the rule; `hysteresis` and `overSeconds` belong to its condition.",
    ),
  changes: count.describe("How often the rule would have changed on the signal then."),
});
export type Remedy = z.infer<typeof Remedy>;

/** A signal on which the rule would have fired, stepped and resolved too often: more than 6 changes within 10 minutes. */
export const BacktestFlapping = z.strictObject({
  signalId: SignalId,
  changes: count.describe("Firings, steps of severity and resolutions, in all of the span."),
  remedies: z
    .array(Remedy)
    .describe("The smallest changes of the rule that calm it on the signal; worked out for the worst few."),
});
export type BacktestFlapping = z.infer<typeof BacktestFlapping>;

export const BacktestAnswer = z.strictObject({
  from: Timestamp,
  to: Timestamp.describe("What was asked for, and never later than now."),
  firings: z
    .array(BacktestFiring)
    .describe(`In the order of signal ids, each signal's oldest first; the first ${BACKTEST_FIRINGS_MAX}.`),
  summary: z.strictObject({
    firings: count.describe("All of them."),
    severities: z
      .strictObject({ info: count, warning: count, critical: count })
      .describe("How many of them had each as their hardest."),
    stepsUp: count.describe("How often an alert became harder while it fired, in all."),
    stepsDown: count,
    signals: count.describe("On how many signals it fired."),
    selected: count.describe("How many signals the rule looks at."),
    readings: count.describe("How many readings were evaluated."),
    flapping: z.array(BacktestFlapping).describe("Those that change most first."),
  }),
  approximated: z
    .array(z.string())
    .optional()
    .describe("What may differ from what would have happened live, in plain words."),
  warnings: z
    .array(Warning)
    .describe("Of the rule: allowed, but likely not meant, as POST /v1/alerts/rules says it."),
});
export type BacktestAnswer = z.infer<typeof BacktestAnswer>;
