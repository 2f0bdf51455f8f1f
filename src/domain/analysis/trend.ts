import { meanOf, type TimedStrength } from "./statistics.ts";

const HOUR_MS = 3_600_000;
/** Over a shorter time a slope is how a signal wavers, not where it goes. */
const TREND_MIN_MS = HOUR_MS / 2;

/** A line through readings: it passes (meanMs, meanDbm) and rises by `dbPerHour`. */
export interface Trend {
  readonly dbPerHour: number;
  readonly meanMs: number;
  readonly meanDbm: number;
  /** How far readings stand off the line: the root of the mean square, in dB. */
  readonly residualDb: number;
}

/** The line of least squares; null unless there are readings of two times. */
export const trendOf = (readings: readonly TimedStrength[]): Trend | null => {
  const [first] = readings;
  if (first === undefined) return null;
  // Counted from the first one: Unix milliseconds squared have more digits than a number.
  const hours = readings.map(({ atMs }) => (atMs - first.atMs) / HOUR_MS);
  const meanHours = meanOf(hours);
  const meanDbm = meanOf(readings.map(({ strength }) => strength));
  let [squares, products, heights] = [0, 0, 0];
  for (const [i, { strength }] of readings.entries()) {
    const x = (hours[i] ?? 0) - meanHours;
    const y = strength - meanDbm;
    squares += x * x;
    products += x * y;
    heights += y * y;
  }
  if (squares === 0) return null;
  return {
    dbPerHour: products / squares,
    meanMs: first.atMs + meanHours * HOUR_MS,
    meanDbm,
    residualDb: Math.sqrt(Math.max(0, heights - products ** 2 / squares) / readings.length),
  };
};

/** Whether a slope over readings from the first to the last, Unix ms, is a trend. */
export const isTrend = (firstMs: number, lastMs: number): boolean => lastMs - firstMs >= TREND_MIN_MS;

/** What the line says of a time, in dBm. */
export const levelAt = ({ dbPerHour, meanMs, meanDbm }: Trend, atMs: number): number =>
  meanDbm + (dbPerHour * (atMs - meanMs)) / HOUR_MS;

/** When the line passes a level, Unix ms; not a finite number where it never does. */
export const timeOfLevel = ({ dbPerHour, meanMs, meanDbm }: Trend, dbm: number): number =>
  meanMs + ((dbm - meanDbm) / dbPerHour) * HOUR_MS;
