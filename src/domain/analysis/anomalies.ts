import { meanOf, median, type TimedStrength } from "./statistics.ts";

export interface Anomaly extends TimedStrength {
  readonly score: number;
}

/** Iglewicz and Hoaglin, "How to Detect and Handle Outliers", 1993: |M| > 3.5 is an outlier. */
const SCORE_LIMIT = 3.5;
/** What a deviation (normal distribution) is of the median absolute one, and of the mean absolute one. */
const OF_MEDIAN = 0.6745;
const OF_MEAN = 0.7979;
const ANOMALIES_MAX = 100;

/** dB to score, or null where all values are the same. Half of them the same: the mean deviation stands in (ibid.). */
const scaleOf = (deviations: readonly number[]): number | null => {
  const middle = median(deviations);
  if (middle > 0) return OF_MEDIAN / middle;
  const mean = meanOf(deviations);
  return mean > 0 ? OF_MEAN / mean : null;
};

/** Readings whose modified z-score is beyond 3.5: the most extreme 100, in time. */
export const anomaliesOf = (readings: readonly TimedStrength[]): Anomaly[] => {
  if (readings.length === 0) return [];
  const middle = median(readings.map(({ strength }) => strength));
  const scale = scaleOf(readings.map(({ strength }) => Math.abs(strength - middle)));
  if (scale === null) return [];
  return readings
    .map(({ atMs, strength }) => ({ atMs, strength, score: (strength - middle) * scale }))
    .filter(({ score }) => Math.abs(score) > SCORE_LIMIT)
    .sort((a, b) => Math.abs(b.score) - Math.abs(a.score))
    .slice(0, ANOMALIES_MAX)
    .sort((a, b) => a.atMs - b.atMs);
};
