import { STRENGTH_MAX_DBM, STRENGTH_MIN_DBM } from "../../../schemas/common.ts";
import { type Condition, effectiveHysteresis } from "../../../schemas/condition.ts";

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

/** Clearing limits stay within the range of the metric, else a rule near its edge could never clear. */
export const conditionLimits = (condition: Condition): Limits => {
  const [min, max] = condition.metric === "quality" ? [0, 1] : [STRENGTH_MIN_DBM, STRENGTH_MAX_DBM];
  const hysteresis = effectiveHysteresis(condition);
  const low = condition.operator === "above" ? null : condition.value;
  const high = condition.operator === "below" ? null : (condition.upper ?? condition.value);
  return {
    fireLow: low === null ? Number.NEGATIVE_INFINITY : Math.fround(low),
    clearLow: low === null ? Number.NEGATIVE_INFINITY : Math.fround(Math.min(low + hysteresis, max)),
    fireHigh: high === null ? Number.POSITIVE_INFINITY : Math.fround(high),
    clearHigh: high === null ? Number.POSITIVE_INFINITY : Math.fround(Math.max(high - hysteresis, min)),
  };
};

/** What a signal's own threshold says of a quality, both as Float32. */
export const thresholdFires = (threshold: number, quality: number): boolean =>
  quality < Math.fround(threshold);
export const thresholdClearsAt = (threshold: number, hysteresis: number): number =>
  Math.min(threshold + hysteresis, 1);
export const thresholdClears = (threshold: number, hysteresis: number, quality: number): boolean =>
  quality >= Math.fround(thresholdClearsAt(threshold, hysteresis));
