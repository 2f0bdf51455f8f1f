import { type Condition, clearingLimits } from "../../../schemas/condition.ts";

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

/** Of one level, with its limits as they are for a signal; `upper`: of a band its other end, else as `value`. */
export const conditionLimits = (condition: Condition, value: number, upper: number): Limits => {
  const { operator } = condition;
  if (operator === "noData") return NO_LIMITS;
  const clearing = clearingLimits(condition, value, upper);
  const low = { fireLow: Math.fround(value), clearLow: Math.fround(clearing.low) };
  const high = { fireHigh: Math.fround(upper), clearHigh: Math.fround(clearing.high) };
  if (operator === "outside") return { ...low, ...high };
  return operator === "below" ? { ...NO_LIMITS, ...low } : { ...NO_LIMITS, ...high };
};

/** What a signal's own threshold says of a quality, both as Float32. */
export const thresholdFires = (threshold: number, quality: number): boolean =>
  quality < Math.fround(threshold);
export const thresholdClearsAt = (threshold: number, hysteresis: number): number =>
  Math.min(threshold + hysteresis, 1);
export const thresholdClears = (threshold: number, hysteresis: number, quality: number): boolean =>
  quality >= Math.fround(thresholdClearsAt(threshold, hysteresis));
