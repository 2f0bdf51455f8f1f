import type { SignalDefinition } from "../../../schemas/change.ts";
import type { Condition, Severity } from "../../../schemas/condition.ts";
import type { Rule } from "../../../schemas/rule.ts";
import type { Verdict } from "./machine.ts";

/** A level of a rule as it is on one signal. Numbers are dBm, quality, or what a change has moved. */
export interface LevelLimit {
  readonly severity: Severity;
  readonly verdict: (x: number) => Verdict;
  /** The limit; of a band, its two ends. */
  readonly ends: readonly number[];
  /** Which end a value is nearer to: one that fires is beyond it. */
  readonly crossedBy: (x: number) => number;
}

const asStored = Math.fround;
const isBelow = (x: number, limit: number): boolean => asStored(x) < asStored(limit);
const isAbove = (x: number, limit: number): boolean => asStored(x) > asStored(limit);

const range = ({ metric }: Condition): [number, number] => (metric === "quality" ? [0, 1] : [-200, 50]);

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Whether some value of a reading is beyond the limit. */
const isReachable = (limit: number, condition: Condition): boolean => {
  const [low, high] = range(condition);
  if (condition.operator === "below") return limit > low;
  return condition.operator === "outside" || limit < high;
};

/** The limit that the label holds, if it holds one. */
const fromLabel = (text: string | undefined, condition: Condition): number | undefined => {
  const trimmed = text?.trim() ?? "";
  const [low, high] = range(condition);
  const limit = Number(trimmed);
  const isLimit = DECIMAL.test(trimmed) && limit >= low && limit <= high;
  return isLimit && isReachable(limit, condition) ? limit : undefined;
};

const hysteresisOf = ({ metric, operator, hysteresis }: Condition, value: number): number => {
  if (hysteresis !== undefined) return hysteresis;
  const usual = metric === "quality" ? 0.05 : 3;
  return operator === "change" ? Math.min(usual, value / 2) : usual;
};

/** `x` is the movement: it fires above the limit, whichever way it went. */
const ofChange = (condition: Condition, severity: Severity, value: number): LevelLimit => {
  const clear = Math.max(0, value - hysteresisOf(condition, value));
  return {
    severity,
    verdict: (x) => ({ fires: isAbove(x, value), clears: !isAbove(x, clear) }),
    ends: [value],
    crossedBy: () => 0,
  };
};

const ofBelow = (condition: Condition, severity: Severity, value: number): LevelLimit => {
  const clear = Math.min(range(condition)[1], value + hysteresisOf(condition, value));
  return {
    severity,
    verdict: (x) => ({ fires: isBelow(x, value), clears: !isBelow(x, clear) }),
    ends: [value],
    crossedBy: () => 0,
  };
};

const ofAbove = (condition: Condition, severity: Severity, value: number): LevelLimit => {
  const clear = Math.max(range(condition)[0], value - hysteresisOf(condition, value));
  return {
    severity,
    verdict: (x) => ({ fires: isAbove(x, value), clears: !isAbove(x, clear) }),
    ends: [value],
    crossedBy: () => 0,
  };
};

/** Null where the band is none. */
const ofOutside = (
  condition: Condition,
  severity: Severity,
  value: number,
  upper: number | undefined,
): LevelLimit | null => {
  const [least, most] = range(condition);
  if (upper === undefined || upper <= value || (value === least && upper === most)) return null;
  const hysteresis = hysteresisOf(condition, value);
  const isTooWide = hysteresis >= (upper - value) / 2;
  const inner = { ...condition, hysteresis: isTooWide ? (upper - value) / 4 : hysteresis };
  const low = ofBelow(inner, severity, value);
  const high = ofAbove(inner, severity, upper);
  return {
    severity,
    verdict: (x) => ({
      fires: low.verdict(x).fires || high.verdict(x).fires,
      clears: low.verdict(x).clears && high.verdict(x).clears,
    }),
    ends: [value, upper],
    crossedBy: (x) => (x - value <= upper - x ? 0 : 1),
  };
};

/** `x` is the seconds of silence; whether they are too many is for the no-data clock to say. */
const ofNoData = ({ overSeconds = 0 }: Condition, severity: Severity): LevelLimit => ({
  severity,
  verdict: () => ({ fires: false, clears: true }),
  ends: [overSeconds],
  crossedBy: () => 0,
});

/** The levels of a rule on a signal, mildest first; null where the rule rests for want of a limit. */
export const limitsOf = (rule: Rule, { labels }: Pick<SignalDefinition, "labels">): LevelLimit[] | null => {
  const { condition, severity } = rule;
  const { operator, valueFrom, upperFrom } = condition;
  if (operator === "noData") return [ofNoData(condition, severity)];
  const of = { below: ofBelow, above: ofAbove, change: ofChange };
  if (rule.levels !== null && operator !== "outside")
    return rule.levels.map((level) => of[operator](condition, level.severity, level.value));
  const value = fromLabel(valueFrom && labels[valueFrom.label], condition) ?? condition.value;
  const upper = fromLabel(upperFrom && labels[upperFrom.label], condition) ?? condition.upper;
  if (value === undefined) return null;
  const limit =
    operator === "outside"
      ? ofOutside(condition, severity, value, upper)
      : of[operator](condition, severity, value);
  return limit === null ? null : [limit];
};
