import type { Scale } from "../quality.ts";
import { shownQuality } from "../quality.ts";
import { type Anomaly, anomaliesOf } from "./anomalies.ts";
import { type Gap, gapLimitMs, gapsOf, type Intervals, intervalsOf, longestGaps } from "./intervals.ts";
import { meanQuality, type StrengthStatistics, statisticsOf, type TimedStrength } from "./statistics.ts";
import { isTrend, type Trend, trendOf } from "./trend.ts";

/** A span in which readings may be expected, Unix ms. */
export interface Expected {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What is said of readings, wherever it was computed. */
export interface Figures {
  readonly count: number;
  readonly strength: StrengthStatistics | null;
  readonly quality: { readonly mean: number; readonly min: number } | null;
  /** Null: over so short a time there is none. */
  readonly trend: Trend | null;
  readonly gaps: readonly Gap[];
  readonly anomalies: readonly Anomaly[];
  /** The readings, or the means of buckets where they are too many. */
  readonly points: readonly TimedStrength[];
  /** The newest readings, as many as are looked at one by one; often all. */
  readonly newest: readonly TimedStrength[];
}

/** The silence before the first and after the last reading, where readings were expected. */
export const edgeGaps = (
  { fromMs, toMs }: Expected,
  [firstMs, lastMs]: readonly [number, number],
  intervals: Intervals | null,
): Gap[] => {
  const limit = intervals === null ? null : gapLimitMs(intervals);
  if (limit === null) return [];
  const edges = [
    { fromMs, toMs: firstMs },
    { fromMs: lastMs, toMs },
  ];
  return edges.filter((edge) => edge.toMs - edge.fromMs > limit);
};

const gapsWithin = (times: readonly number[], expected: Expected): Gap[] => {
  const intervals = intervalsOf(times);
  const limit = intervals === null ? null : gapLimitMs(intervals);
  if (limit === null) return [];
  const ends = [times[0] ?? 0, times.at(-1) ?? 0] as const;
  return longestGaps([...gapsOf(times, limit), ...edgeGaps(expected, ends, intervals)]);
};

/** Of readings in order of time. */
export const figuresOf = (readings: readonly TimedStrength[], scale: Scale, expected: Expected): Figures => {
  const [firstMs, lastMs] = [readings[0]?.atMs ?? 0, readings.at(-1)?.atMs ?? 0];
  const strengths = readings.map(({ strength }) => strength);
  const strength = statisticsOf(strengths);
  return {
    count: readings.length,
    strength,
    quality:
      strength === null
        ? null
        : {
            mean: meanQuality(strengths, scale),
            min: shownQuality(strength.min, scale.floorDbm, scale.ceilingDbm),
          },
    trend: isTrend(firstMs, lastMs) ? trendOf(readings) : null,
    gaps: gapsWithin(
      readings.map(({ atMs }) => atMs),
      expected,
    ),
    anomalies: anomaliesOf(readings),
    points: readings,
    newest: readings,
  };
};
