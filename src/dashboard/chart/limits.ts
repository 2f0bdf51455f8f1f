import { type Condition, clearingLimits, type LimitFound, limitFound } from "../../../schemas/condition.ts";
import type { Rule } from "../../../schemas/rule.ts";
import { levelsFor } from "../../../schemas/rule-limits.ts";
import type { Signal } from "../../../schemas/signal.ts";
import type { Limit, Scale } from "./chart.tsx";

type Spanned = Pick<Signal, "floorDbm" | "ceilingDbm">;

/** Quality as strength in dBm: it is a share of the span from floor to ceiling. */
export const dbmOfQuality = ({ floorDbm, ceilingDbm }: Spanned, quality: number): number =>
  floorDbm + (ceilingDbm - floorDbm) * quality;

/** A signal's own scale, and the limit below which it fails by itself. */
export const limitsOf = (
  signal: Spanned & Pick<Signal, "threshold" | "hysteresis">,
): { readonly scale: Scale; readonly limits: readonly Limit[] } => {
  const { floorDbm, ceilingDbm, threshold, hysteresis } = signal;
  return {
    scale: { lowDbm: floorDbm, highDbm: ceilingDbm },
    limits: [
      {
        firesAtDbm: dbmOfQuality(signal, threshold),
        clearsAtDbm: dbmOfQuality(signal, Math.min(1, threshold + hysteresis)),
        name: "Its own threshold",
      },
    ],
  };
};

/** One limit as a rule has it: its only one, that of a level, or an end of a band. */
export interface RuleLimit extends LimitFound {
  /** What it is called beside others. */
  readonly name?: string;
  readonly isUpperEnd?: boolean;
}

/** The ends of a band, as far as they are known. */
export const bandEnds = (lower: LimitFound | null, upper: LimitFound | null): RuleLimit[] => [
  ...(lower === null ? [] : [{ ...lower, name: "Lower end" }]),
  ...(upper === null ? [] : [{ ...upper, name: "Upper end", isUpperEnd: true }]),
];

type Compared = Pick<Condition, "metric" | "operator" | "hysteresis">;

/** Where each of a rule's limits clears, by the limit. */
const clearingOf = (condition: Compared, limits: readonly RuleLimit[]) => {
  const isBand = condition.operator === "outside";
  const lower = limits.find(({ isUpperEnd }) => !isUpperEnd)?.value ?? Number.NEGATIVE_INFINITY;
  const upper = limits.find(({ isUpperEnd }) => isUpperEnd)?.value ?? Number.POSITIVE_INFINITY;
  return ({ value, isUpperEnd = condition.operator === "above" }: RuleLimit): number => {
    const { low, high } = isBand
      ? clearingLimits(condition, lower, upper)
      : clearingLimits(condition, value, value);
    return isUpperEnd ? high : low;
  };
};

/** Where a rule fires on a signal, and where it clears: at each of its limits; at none, if they are none of strength. */
export const ruleLimitsOf = (condition: Compared, limits: readonly RuleLimit[], signal: Spanned): Limit[] => {
  const { metric, operator } = condition;
  if (operator === "change" || operator === "noData") return [];
  const dbm = (value: number) => (metric === "quality" ? dbmOfQuality(signal, value) : value);
  const clearsAt = clearingOf(condition, limits);
  return limits.map((limit) => {
    const { value, name, isOwn = false } = limit;
    return {
      firesAtDbm: dbm(value),
      clearsAtDbm: dbm(clearsAt(limit)),
      ...(name === undefined ? {} : { name }),
      ...(isOwn ? { isFixed: true } : {}),
    };
  });
};

/**
 * The limits of a rule for a signal that it has fired on at `limit`. Of a band the other end is as the signal has it now;
 * its labels may have changed since.
 */
export const limitsFiredAt = (
  { condition, levels }: Pick<Rule, "condition" | "levels">,
  limit: number,
  { labels }: Pick<Signal, "labels">,
): RuleLimit[] => {
  if (levels !== null) return levels.map(({ severity, value }) => ({ value, name: severity }));
  if (condition.operator !== "outside") return [{ value: limit }];
  const lower = limitFound(condition, condition.valueFrom?.label, condition.value, labels);
  const upper = limitFound(condition, condition.upperFrom?.label, condition.upper, labels);
  const [toLower, toUpper] = [lower, upper].map((end) =>
    end === null ? Number.POSITIVE_INFINITY : Math.abs(end.value - limit),
  );
  const fired = { value: limit };
  return (toUpper ?? 0) < (toLower ?? 0) ? bandEnds(lower, fired) : bandEnds(fired, upper);
};

type Limiting = Pick<Rule, "name" | "severity" | "condition" | "levels">;

/** The limits that a rule has for a signal as it is now, by the rule's name. */
export const limitsOnSignal = (rule: Limiting, signal: Spanned & Pick<Signal, "labels">): Limit[] => {
  const { name, condition, levels } = rule;
  const found = levelsFor(rule, signal.labels) ?? [];
  const limits = found.flatMap(({ severity, value, upper }): RuleLimit[] => {
    if (condition.operator === "outside") return bandEnds({ value }, { value: upper });
    return levels === null ? [{ value }] : [{ value, name: severity }];
  });
  return ruleLimitsOf(condition, limits, signal).map((limit) => ({
    ...limit,
    name: limit.name === undefined ? name : `${name}: ${limit.name.toLowerCase()}`,
  }));
};
