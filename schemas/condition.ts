import { z } from "zod";
import { LabelKey, type Labels, STRENGTH_MAX_DBM, STRENGTH_MIN_DBM } from "./common.ts";

/** Hysteresis of a rule on strength, in dB; a rule on quality takes 0.05. */
export const DEFAULT_RULE_HYSTERESIS_DB = 3;
export const DEFAULT_RULE_HYSTERESIS_QUALITY = 0.05;
/** The most that a condition looks back, or waits for data. */
export const OVER_SECONDS_MAX = 86_400;

export const Severity = z.enum(["info", "warning", "critical"]);
export type Severity = z.infer<typeof Severity>;

/** A limit that each signal carries itself, as a number in one of its labels. */
export const LimitFrom = z.strictObject({
  label: LabelKey.describe("The label whose text is the limit, such as `-95` or `0.3`."),
});
export type LimitFrom = z.infer<typeof LimitFrom>;

/**
 * `below`: fires at x < value, clears at x >= value + hysteresis. `above`: mirrored. `outside`: fires at
 * x < value or x > upper, clears when back inside by the hysteresis. `change`: fires when x has moved by more than
 * value within `overSeconds`, clears when it has moved by value - hysteresis at most. `noData`: fires after
 * `overSeconds` without a reading, clears at the next one. `x` is dBm, or quality from 0 to 1.
 */
export const Condition = z
  .strictObject({
    metric: z.enum(["strength", "quality"]).default("strength"),
    operator: z.enum(["below", "above", "outside", "change", "noData"]),
    value: z
      .number()
      .optional()
      .describe(
        "The limit: dBm, or quality; of `change`: dB, or a share of quality. Beside `valueFrom`: for signals without that label.",
      ),
    valueFrom: LimitFrom.optional().describe(
      "The limit is the signal's own; the rule rests on one that has neither it nor `value`. A number beyond which no reading can be is none.",
    ),
    upper: z.number().optional().describe("Of `outside`: the upper end of the band."),
    upperFrom: LimitFrom.optional().describe("As `valueFrom`, for the upper end."),
    hysteresis: z
      .number()
      .min(0)
      .max(250)
      .optional()
      .describe(
        "dB, or a share of quality. Default: 3 dB or 0.05; of `change`: at most half of its value; of a band of a signal's own limits that it would leave nothing of: a quarter of that.",
      ),
    overSeconds: z
      .number()
      .min(1)
      .max(OVER_SECONDS_MAX)
      .optional()
      .describe("Of `change`: how far back it looks. Of `noData`: the silence that is too long."),
    direction: z
      .enum(["either", "rise", "fall"])
      .optional()
      .describe("Of `change`: which way counts. Default: either."),
  })
  .superRefine((condition, context) => {
    for (const { path, message } of conditionProblems(condition))
      context.addIssue({ code: "custom", path: [path], message });
  });
export type Condition = z.infer<typeof Condition>;
type Operator = Condition["operator"];
type Field = Exclude<keyof Condition, "metric" | "operator">;

/** What each operator takes beside its metric. */
const FIELDS: Readonly<Record<Operator, readonly Field[]>> = {
  below: ["value", "valueFrom", "hysteresis"],
  above: ["value", "valueFrom", "hysteresis"],
  outside: ["value", "valueFrom", "upper", "upperFrom", "hysteresis"],
  change: ["value", "hysteresis", "overSeconds", "direction"],
  noData: ["overSeconds"],
};

interface Problem {
  readonly path: Field;
  readonly message: string;
}

/** What a limit of the metric may be: dBm or quality; of a change: dB, or a share of quality. */
export const limitRange = ({ metric, operator }: Pick<Condition, "metric" | "operator">) => {
  const [low, high] = metric === "quality" ? [0, 1] : [STRENGTH_MIN_DBM, STRENGTH_MAX_DBM];
  return operator === "change" ? { low: 0, high: high - low } : { low, high };
};

/** Whether a limit is where its range ends, so that no value is ever beyond it; of `outside`: both. */
export const isOutOfReach = (
  condition: Pick<Condition, "metric" | "operator">,
  value: number,
  upper?: number,
): boolean => {
  const { low, high } = limitRange(condition);
  if (condition.operator === "below") return value === low;
  if (condition.operator === "outside") return value === low && upper === high;
  return value === high;
};

const DECIMAL = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** The limit that the text of a label is; null where it is no number, or one that no value is beyond. */
const limitOfLabel = (
  condition: Pick<Condition, "metric" | "operator">,
  text: string | undefined,
): number | null => {
  if (text === undefined || !DECIMAL.test(text)) return null;
  const { low, high } = limitRange(condition);
  const limit = Number(text);
  return limit >= low && limit <= high && !isOutOfReach(condition, limit) ? limit : null;
};

export interface LimitFound {
  readonly value: number;
  /** It is the signal's, by a label: no rule changes it. */
  readonly isOwn?: boolean;
}
/** What a signal of these labels is compared with: its own limit, where its label has one, else the rule's; null: nothing. */
export const limitFound = (
  condition: Pick<Condition, "metric" | "operator">,
  label: string | undefined,
  otherwise: number | null | undefined,
  labels: Labels,
): LimitFound | null => {
  const own = label === undefined ? null : limitOfLabel(condition, labels[label]);
  if (own !== null) return { value: own, isOwn: true };
  return otherwise === null || otherwise === undefined ? null : { value: otherwise };
};

const unitOf = ({ metric, operator }: Condition): string => {
  if (metric === "quality") return "";
  return operator === "change" ? " dB" : " dBm";
};

/** dB, or a share of quality: what the condition says, else the default of its metric. */
export const effectiveHysteresis = ({
  metric,
  operator,
  hysteresis,
  value,
}: Pick<Condition, "metric" | "operator" | "hysteresis" | "value">): number => {
  const usual = metric === "quality" ? DEFAULT_RULE_HYSTERESIS_QUALITY : DEFAULT_RULE_HYSTERESIS_DB;
  return hysteresis ?? (operator === "change" ? Math.min(usual, (value ?? 0) / 2) : usual);
};

/**
 * The hysteresis of a band of that width: one that would leave nothing of it, as labels may make it, is a quarter of it,
 * so that the middle half clears.
 */
const hysteresisWithin = (bandWidth: number, hysteresis: number): number =>
  2 * hysteresis < bandWidth ? hysteresis : Math.max(0, bandWidth) / 4;

/**
 * From where on what was below `value` is well again, and up to where what was above `upper` is; where there is but one
 * limit, both are it. An end of a band that is not known yet is infinite. Within the range of the metric, else a rule
 * near its edge could never clear.
 */
export const clearingLimits = (
  condition: Pick<Condition, "metric" | "operator" | "hysteresis">,
  value: number,
  upper: number,
): { readonly low: number; readonly high: number } => {
  const { low, high } = limitRange(condition);
  const wanted = effectiveHysteresis({ ...condition, value });
  const hysteresis = condition.operator === "outside" ? hysteresisWithin(upper - value, wanted) : wanted;
  return { low: Math.min(value + hysteresis, high), high: Math.max(upper - hysteresis, low) };
};

/**
 * Why a hysteresis that somebody chose leaves no reading that clears; null where one does. The usual one may end at the
 * edge of the range, where the clearing limit stays. `value`: of the condition, or of one of its rule's levels; without
 * it the limit is anywhere.
 */
export const hysteresisProblem = (condition: Condition, value = condition.value): string | null => {
  const { operator, hysteresis, upper } = condition;
  if (hysteresis === undefined || operator === "noData") return null;
  if (operator === "change")
    return hysteresis === value ? "is all of value: the rule could clear only when nothing moves" : null;
  if (hysteresis <= effectiveHysteresis({ ...condition, hysteresis: undefined })) return null;
  const { low, high } = limitRange(condition);
  const [bottom, top] = operator === "outside" ? [value, upper] : [value, value];
  const isTooHigh = operator !== "above" && (bottom ?? low) + hysteresis > high;
  const isTooLow = operator !== "below" && (top ?? high) - hysteresis < low;
  return isTooHigh || isTooLow
    ? `leads out of the range from ${low} to ${high}${unitOf(condition)}: the rule could never clear`
    : null;
};

const strangers = (condition: Condition): Problem[] =>
  (["value", "valueFrom", "upper", "upperFrom", "hysteresis", "overSeconds", "direction"] as const)
    .filter((field) => condition[field] !== undefined && !FIELDS[condition.operator].includes(field))
    .map((path) => ({ path, message: `is not used by the operator ${condition.operator}` }));

const outOfRange = (condition: Condition): Problem[] => {
  const { low, high } = limitRange(condition);
  return (["value", "upper"] as const)
    .filter((field) => {
      const limit = condition[field];
      return limit !== undefined && (limit < low || limit > high);
    })
    .map((path) => ({
      path,
      message: `must be from ${low} to ${high}${unitOf(condition)}, else the rule could never change`,
    }));
};

const bandProblems = (condition: Condition): Problem[] => {
  const { operator, value, upper, upperFrom } = condition;
  if (operator !== "outside") return [];
  if (upper === undefined && upperFrom === undefined)
    return [{ path: "upper", message: "is needed by the operator outside" }];
  if (upper === undefined || value === undefined) return [];
  if (upper <= value) return [{ path: "upper", message: "must be above value" }];
  return 2 * effectiveHysteresis(condition) > upper - value
    ? [{ path: "hysteresis", message: "is more than half of the band: the rule could never clear" }]
    : [];
};

const changeProblems = (condition: Condition): Problem[] => {
  const { operator, value, overSeconds, hysteresis } = condition;
  const problems: Problem[] = [];
  if ((operator === "change" || operator === "noData") && overSeconds === undefined)
    problems.push({ path: "overSeconds", message: `is needed by the operator ${operator}` });
  if (operator !== "change" || value === undefined) return problems;
  if (value === 0) problems.push({ path: "value", message: "must be above 0: everything changes a little" });
  if ((hysteresis ?? 0) > value)
    problems.push({ path: "hysteresis", message: "is more than value: the rule could never clear" });
  return problems;
};

const conditionProblems = (condition: Condition): Problem[] => [
  ...strangers(condition),
  ...outOfRange(condition),
  ...bandProblems(condition),
  ...changeProblems(condition),
];
