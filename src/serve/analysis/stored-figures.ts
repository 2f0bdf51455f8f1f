import type { SignalDefinition } from "../../../schemas/change.ts";
import { anomaliesOf } from "../../domain/analysis/anomalies.ts";
import { type Expected, edgeGaps, type Figures, figuresOf } from "../../domain/analysis/figures.ts";
import { GAPS_MAX, gapLimitMs, longestGaps } from "../../domain/analysis/intervals.ts";
import { isTrend } from "../../domain/analysis/trend.ts";
import { shownQuality } from "../../domain/quality.ts";
import type { ReadingBucketRow, StatisticsQuery, TimeSeries } from "../../ports/time-series.ts";
import { STEP_MS } from "../readings-span.ts";
import { type BucketStep, bucketStep, type Span } from "./asked.ts";

/** Readings of a signal that are read out; of more only the newest are. */
const ONE_BY_ONE_MAX = 20_000;
const ONE_BY_ONE_MIN = 2_000;
/** Of all signals of an analysis together. */
const ONE_BY_ONE_TOTAL = 200_000;
/** Beyond, statistics are taken from the rollup by minute. */
const AGGREGATED_MAX = 20_000_000;
/** Fewer readings than this share of what rollups count: the others have expired. */
const KEPT_SHARE = 0.5;

export interface StoredFigures extends Figures {
  /** False: too many readings to look at one by one. */
  readonly isExact: boolean;
  /** False: there are too many, or they have expired, and all is taken from the rollup by minute. */
  readonly isOfReadings: boolean;
}

export const oneByOne = (signals: number): number =>
  Math.max(ONE_BY_ONE_MIN, Math.min(ONE_BY_ONE_MAX, Math.floor(ONE_BY_ONE_TOTAL / signals)));

const countWithin = (
  buckets: readonly ReadingBucketRow[],
  step: BucketStep,
  { fromMs, toMs }: Span,
): number =>
  buckets
    .filter(({ atMs }) => atMs >= fromMs && atMs + STEP_MS[step] <= toMs)
    .reduce((sum, { count }) => sum + count, 0);

const aggregated = async (
  timeSeries: TimeSeries,
  query: StatisticsQuery,
  expected: Expected,
  points: Figures["points"],
  newest: Figures["newest"],
): Promise<StoredFigures | null> => {
  const statistics = await timeSeries.statistics(query);
  if (statistics === null) return null;
  const { count, firstMs, lastMs, intervals, trend, qualityMean, min, ...strength } = statistics;
  const longerThanMs = intervals === null ? null : gapLimitMs(intervals);
  const gaps =
    longerThanMs === null ? [] : await timeSeries.gaps({ ...query, longerThanMs, limit: GAPS_MAX });
  return {
    count,
    strength: { min, ...strength },
    quality: { mean: qualityMean, min: shownQuality(min, query.floorDbm, query.ceilingDbm) },
    trend: isTrend(firstMs, lastMs) ? trend : null,
    gaps: longestGaps([...gaps, ...edgeGaps(expected, [firstMs, lastMs], intervals)]),
    anomalies: anomaliesOf(points),
    points,
    newest,
    isExact: false,
    isOfReadings: query.of === "readings",
  };
};

/** Reads out what is little, and asks the time series to compute the rest. `limit`: see `oneByOne`. */
export const storedFigures = async (
  timeSeries: TimeSeries,
  signal: SignalDefinition,
  span: Span,
  expected: Expected,
  limit: number,
): Promise<StoredFigures> => {
  const { id: signalId, floorDbm, ceilingDbm } = signal;
  const step = bucketStep(span);
  const steps = Math.ceil((span.toMs - span.fromMs) / STEP_MS[step]) + 2;
  const buckets = await timeSeries.buckets({ signalId, ...span, step, limit: steps });
  const within = countWithin(buckets, step, span);
  const read = { signalId, ...span, skipAtFrom: 0, limit: limit + 1, newest: true };
  const newest = buckets.length === 0 ? [] : await timeSeries.rawReadings(read);
  const isExpired = newest.length <= limit && newest.length < within * KEPT_SHARE;
  if (newest.length <= limit && !isExpired)
    return { ...figuresOf(newest, signal, expected), isExact: true, isOfReadings: true };
  const points = buckets.map(({ atMs, mean }) => ({ atMs: atMs + STEP_MS[step] / 2, strength: mean }));
  const query = { signalId, ...span, floorDbm, ceilingDbm };
  const ask = (of: StatisticsQuery["of"]) =>
    aggregated(timeSeries, { ...query, of }, expected, points, newest.slice(-limit));
  const ofReadings = isExpired || within > AGGREGATED_MAX ? null : await ask("readings");
  const figures =
    ofReadings !== null && ofReadings.count >= within * KEPT_SHARE ? ofReadings : await ask("minutes");
  return figures ?? { ...figuresOf([], signal, expected), isExact: true, isOfReadings: true };
};
