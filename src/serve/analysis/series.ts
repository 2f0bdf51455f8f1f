import type { AnalysisSeries } from "../../../schemas/analysis.ts";
import type { ReadingStep } from "../../../schemas/reading.ts";
import { meanOf, type TimedStrength } from "../../domain/analysis/statistics.ts";
import { type Scale, shownDbm, shownQuality } from "../../domain/quality.ts";
import type { ReadingBucketRow } from "../../ports/time-series.ts";
import { timestamp } from "../answers.ts";
import { bucketShown } from "../readings-page.ts";
import { STEP_MS } from "../readings-span.ts";

/** Readings in order of time as buckets counted from 1970 in UTC. */
export const bucketsOf = (readings: readonly TimedStrength[], stepMs: number): ReadingBucketRow[] =>
  [...Map.groupBy(readings, ({ atMs }) => Math.floor(atMs / stepMs) * stepMs)].map(([atMs, its]) => {
    const strengths = its.map(({ strength }) => strength);
    const [min, max] = [Math.min(...strengths), Math.max(...strengths)];
    return { atMs, count: its.length, min, max, mean: meanOf(strengths) };
  });

export const bucketSeries = (
  step: Exclude<ReadingStep, "raw">,
  buckets: readonly ReadingBucketRow[],
): AnalysisSeries => ({ step, buckets: buckets.map(bucketShown) });

export const readingSeries = (
  step: ReadingStep,
  readings: readonly TimedStrength[],
  { floorDbm, ceilingDbm }: Scale,
): AnalysisSeries => {
  if (step !== "raw") return bucketSeries(step, bucketsOf(readings, STEP_MS[step]));
  const shown = readings.map(({ atMs, strength }) => ({
    at: timestamp(atMs),
    strength: shownDbm(strength),
    quality: shownQuality(strength, floorDbm, ceilingDbm),
  }));
  return { step, readings: shown };
};
