import {
  type Condition,
  effectiveHysteresis,
  hysteresisWithin,
  limitRange,
} from "../../../schemas/condition.ts";
import type { Rule } from "../../../schemas/rule.ts";
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
      },
    ],
  };
};

/** One limit as a rule has it: its only one, that of a level, or an end of a band. */
export interface RuleLimit {
  readonly value: number;
  /** What it is called beside others. */
  readonly name?: string;
  readonly isUpperEnd?: boolean;
}

/** The ends of a band, as far as they are known. */
export const bandEnds = (lower: number | null, upper: number | null): RuleLimit[] => [
  ...(lower === null ? [] : [{ value: lower, name: "Lower end" }]),
  ...(upper === null ? [] : [{ value: upper, name: "Upper end", isUpperEnd: true }]),
];

/** Infinite where an end is not known yet. */
const bandWidth = (limits: readonly RuleLimit[]): number => {
  const lower = limits.find(({ isUpperEnd }) => !isUpperEnd)?.value ?? Number.NEGATIVE_INFINITY;
  const upper = limits.find(({ isUpperEnd }) => isUpperEnd)?.value ?? Number.POSITIVE_INFINITY;
  return Math.max(0, upper - lower);
};

type Compared = Pick<Condition, "metric" | "operator" | "hysteresis" | "value">;

/** Where a rule fires on a signal, and where it clears: at each of its limits; at none, if they are none of strength. */
export const ruleLimitsOf = (condition: Compared, limits: readonly RuleLimit[], signal: Spanned): Limit[] => {
  const { metric, operator } = condition;
  if (operator === "change" || operator === "noData") return [];
  const dbm = (value: number) => (metric === "quality" ? dbmOfQuality(signal, value) : value);
  const wanted = effectiveHysteresis(condition);
  const hysteresis = operator === "outside" ? hysteresisWithin(bandWidth(limits), wanted) : wanted;
  // Beyond what there can be it would never clear.
  const { low, high } = limitRange(condition);
  return limits.map(({ value, name, isUpperEnd = operator === "above" }) => {
    const clears = isUpperEnd ? Math.max(low, value - hysteresis) : Math.min(high, value + hysteresis);
    return { firesAtDbm: dbm(value), clearsAtDbm: dbm(clears), ...(name === undefined ? {} : { name }) };
  });
};

const ownLimit = (
  from: Condition["valueFrom"],
  otherwise: number | undefined,
  labels: Signal["labels"],
): number | null => {
  const text = from === undefined ? "" : (labels[from.label] ?? "").trim();
  const own = text === "" ? Number.NaN : Number(text);
  return Number.isFinite(own) ? own : (otherwise ?? null);
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
  const lower = ownLimit(condition.valueFrom, condition.value, labels);
  const upper = ownLimit(condition.upperFrom, condition.upper, labels);
  const [toLower, toUpper] = [lower, upper].map((end) =>
    end === null ? Number.POSITIVE_INFINITY : Math.abs(end - limit),
  );
  return (toUpper ?? 0) < (toLower ?? 0) ? bandEnds(lower, limit) : bandEnds(limit, upper);
};
