import { z } from "zod";
import { Labels, RuleId, SignalId, SourceId, Timestamp } from "./common.ts";
import { Condition, hysteresisProblem, isOutOfReach, limitRange, Severity } from "./condition.ts";
import { Notify, NotifyInput } from "./notify.ts";
import { Schedule } from "./schedule.ts";

/** Which signals a rule looks at: all that is named must match; nothing named means every signal. */
export const Selection = z.strictObject({
  signalIds: z.array(SignalId).min(1).max(1000).optional(),
  labels: Labels.optional(),
  sourceId: SourceId.optional(),
});
export type Selection = z.infer<typeof Selection>;

/** A severity and the limit from which an alert has it. */
export const Level = z.strictObject({ severity: Severity, value: z.number() });
export type Level = z.infer<typeof Level>;

const NOTIFY_IS = "Default: every webhook that matches, and no e-mail.";
const settings = {
  name: z.string().trim().min(1).max(200),
  enabled: z.boolean(),
  severity: Severity.describe("Of a rule without levels, which have one each."),
  select: Selection,
  condition: Condition,
  levels: z
    .array(Level)
    .min(2)
    .max(Severity.options.length)
    .nullable()
    .describe(
      "Instead of `condition.value` and `severity`: the alert steps up and down between them. Mildest first.",
    ),
  forSeconds: z.number().min(0).max(86_400).describe("How long the condition holds before it fires."),
  keepFiringForSeconds: z
    .number()
    .min(0)
    .max(86_400)
    .describe("How long the condition is over before the alert resolves."),
  failsSignal: z.boolean().describe("Whether a signal is failed while the rule fires on it."),
  schedule: Schedule.nullable().describe(
    "When the rule looks, by the readings' own time. Outside of it nothing fires: a wait of `forSeconds` that would be over then ends without an alert, and an alert that fires when it closes resolves at the next reading.",
  ),
  notify: Notify.nullable().describe(NOTIFY_IS),
  flapDetection: z
    .boolean()
    .describe(
      "Whether events are held back while an alert changes (fires, steps or resolves) more than 6 times in 10 minutes.",
    ),
};

/** As they may be sent. */
const asked = { ...settings, notify: NotifyInput.nullable().describe(NOTIFY_IS) };

type Judged = Pick<Rule, "condition" | "levels" | "forSeconds">;
interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}
const OUT_OF_REACH = "can never fire: no reading is ever beyond it";
const RANKS = Severity.options;

const levelProblems = ({ condition, levels }: Judged): Problem[] => {
  const { operator } = condition;
  if (levels === null) return [];
  if (operator === "outside" || operator === "noData")
    return [{ path: ["levels"], message: `are not used by the operator ${operator}` }];
  const twice = (["value", "valueFrom"] as const).filter((field) => condition[field] !== undefined);
  const { low, high } = limitRange(condition);
  const isHarder = (mild: number, hard: number) => (operator === "below" ? hard < mild : hard > mild);
  return [
    ...twice.map((field) => ({ path: ["condition", field], message: "stands in each of the levels" })),
    ...levels.flatMap(({ severity, value }, at): Problem[] => {
      const problems: Problem[] = [];
      const path = ["levels", at, "value"];
      if (value < low || value > high)
        problems.push({ path, message: `must be from ${low} to ${high}, else the level could never change` });
      if (operator === "change" && (value === 0 || (condition.hysteresis ?? 0) > value))
        problems.push({ path, message: "must be above 0 and not less than the hysteresis" });
      if (isOutOfReach(condition, value)) problems.push({ path, message: OUT_OF_REACH });
      const milder = levels[at - 1];
      if (milder === undefined) return problems;
      if (RANKS.indexOf(severity) <= RANKS.indexOf(milder.severity))
        problems.push({ path: ["levels", at, "severity"], message: `must be above ${milder.severity}` });
      if (!isHarder(milder.value, value))
        problems.push({
          path,
          message: `must be ${operator === "below" ? "below" : "above"} ${milder.value}, the level before: they overlap`,
        });
      return problems;
    }),
  ];
};

/** One for all levels: the first that could never clear says it. */
const hysteresisProblems = ({ condition, levels }: Judged): Problem[] =>
  (levels?.map(({ value }) => value) ?? [condition.value])
    .flatMap((value) => hysteresisProblem(condition, value) ?? [])
    .slice(0, 1)
    .map((message) => ({ path: ["condition", "hysteresis"], message }));

/** What is wrong with a rule as a whole, once a patch is merged with what is stored. */
export const ruleProblems = (rule: Judged): Problem[] => {
  const { operator, value, valueFrom, upper } = rule.condition;
  const problems = [...levelProblems(rule), ...hysteresisProblems(rule)];
  if (operator !== "noData" && rule.levels === null && value === undefined && valueFrom === undefined)
    problems.push({ path: ["condition", "value"], message: `is needed by the operator ${operator}` });
  if (value !== undefined && isOutOfReach(rule.condition, value, upper))
    problems.push({ path: ["condition", "value"], message: OUT_OF_REACH });
  if (operator === "noData" && rule.forSeconds > 0)
    problems.push({ path: ["forSeconds"], message: "must be 0: condition.overSeconds says how long" });
  return problems;
};

export const RuleCreate = z
  .strictObject({
    name: settings.name,
    enabled: settings.enabled.default(true),
    severity: settings.severity.default("warning"),
    select: settings.select.default({}),
    condition: settings.condition,
    levels: settings.levels.default(null),
    forSeconds: settings.forSeconds.default(0),
    keepFiringForSeconds: settings.keepFiringForSeconds.default(0),
    failsSignal: settings.failsSignal.default(true),
    schedule: settings.schedule.default(null),
    notify: asked.notify.default(null),
    flapDetection: settings.flapDetection.default(true),
  })
  .superRefine((rule, context) => {
    for (const { path, message } of ruleProblems(rule))
      context.addIssue({ code: "custom", path: [...path], message });
  });
export type RuleCreate = z.infer<typeof RuleCreate>;

/** Checked against the stored rule once the two are merged. */
export const RulePatch = z
  .strictObject(asked)
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, "names no field to change");
export type RulePatch = z.infer<typeof RulePatch>;

/** With defaults for what rules did not have from the beginning. */
export const Rule = z.strictObject({
  id: RuleId,
  ...settings,
  levels: settings.levels.default(null),
  schedule: settings.schedule.default(null),
  notify: settings.notify.default(null),
  flapDetection: settings.flapDetection.default(true),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Rule = z.infer<typeof Rule>;

/** What is allowed, and likely not meant. */
export const Warning = z.strictObject({ path: z.string(), message: z.string() });
export type Warning = z.infer<typeof Warning>;
export const RuleAnswer = Rule.extend({
  warnings: z.array(Warning).describe("Of what was just written: allowed, but likely not meant."),
});

export const RulesAnswer = z.strictObject({ rules: z.array(Rule), nextCursor: z.string().nullable() });
