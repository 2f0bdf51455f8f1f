import { STRENGTH_MAX_DBM, STRENGTH_MIN_DBM } from "../../../schemas/common.ts";
import { type Condition, effectiveHysteresis, hysteresisWithin } from "../../../schemas/condition.ts";

/**
 * A value fires when it is below `fireLow` or above `fireHigh`, and clears from `clearLow` to `clearHigh`. All four are
 * Float32, as the values they are compared with: ClickHouse stores Float32, and a backtest must agree.
 */
export interface Limits {
  readonly fireLow: number;
  readonly fireHigh: number;
  readonly clearLow: number;
  readonly clearHigh: number;
}

export const fires = (limits: Limits, value: number): boolean =>
  value < limits.fireLow || value > limits.fireHigh;

export const clears = (limits: Limits, value: number): boolean =>
  value >= limits.clearLow && value <= limits.clearHigh;

/** What no value of a reading fires or fails to clear: of a rule that looks at silence. */
const NO_LIMITS: Limits = {
  fireLow: Number.NEGATIVE_INFINITY,
  clearLow: Number.NEGATIVE_INFINITY,
  fireHigh: Number.POSITIVE_INFINITY,
  clearHigh: Number.POSITIVE_INFINITY,
};

/**
 * Of one level, with its limits as they are for a signal. Clearing limits stay within the range of the metric, else a
 * rule near its edge could never clear.
 */
export const conditionLimits = (condition: Condition, value: number, upper: number): Limits => {
  const { operator } = condition;
  if (operator === "noData") return NO_LIMITS;
  const [min, max] = condition.metric === "quality" ? [0, 1] : [STRENGTH_MIN_DBM, STRENGTH_MAX_DBM];
  const wanted = effectiveHysteresis({ ...condition, value });
  const hysteresis = operator === "outside" ? hysteresisWithin(upper - value, wanted) : wanted;
  const looksLow = operator === "below" || operator === "outside";
  const high = operator === "outside" ? upper : value;
  const highest = operator === "change" ? 0 : min;
  return {
    fireLow: looksLow ? Math.fround(value) : NO_LIMITS.fireLow,
    clearLow: looksLow ? Math.fround(Math.min(value + hysteresis, max)) : NO_LIMITS.clearLow,
    fireHigh: operator === "below" ? NO_LIMITS.fireHigh : Math.fround(high),
    clearHigh: operator === "below" ? NO_LIMITS.clearHigh : Math.fround(Math.max(high - hysteresis, highest)),
  };
};

/** What a signal's own threshold says of a quality, both as Float32. */
export const thresholdFires = (threshold: number, quality: number): boolean =>
  quality < Math.fround(threshold);
export const thresholdClearsAt = (threshold: number, hysteresis: number): number =>
  Math.min(threshold + hysteresis, 1);
export const thresholdClears = (threshold: number, hysteresis: number, quality: number): boolean =>
  quality >= Math.fround(thresholdClearsAt(threshold, hysteresis));
