import {
  type Condition,
  effectiveHysteresis,
  hysteresisWithin,
  limitOfLabel,
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
  /** It is the signal's, by a label: no rule changes it. */
  readonly isOwn?: boolean;
}
export type LimitFound = Pick<RuleLimit, "value" | "isOwn">;

/** The ends of a band, as far as they are known. */
export const bandEnds = (lower: LimitFound | null, upper: LimitFound | null): RuleLimit[] => [
  ...(lower === null ? [] : [{ ...lower, name: "Lower end" }]),
  ...(upper === null ? [] : [{ ...upper, name: "Upper end", isUpperEnd: true }]),
];

/** What a signal of these labels is compared with: its own limit, where its label has one, else the rule's. */
export const limitFound = (
  condition: Pick<Condition, "metric" | "operator">,
  label: string | undefined,
  otherwise: number | null | undefined,
  labels: Signal["labels"],
): LimitFound | null => {
  const own = label === undefined ? null : limitOfLabel(condition, labels[label]);
  if (own !== null) return { value: own, isOwn: true };
  return otherwise === null || otherwise === undefined ? null : { value: otherwise };
};

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
  return limits.map(({ value, name, isOwn = false, isUpperEnd = operator === "above" }) => {
    const clears = isUpperEnd ? Math.max(low, value - hysteresis) : Math.min(high, value + hysteresis);
    return {
      firesAtDbm: dbm(value),
      clearsAtDbm: dbm(clears),
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
