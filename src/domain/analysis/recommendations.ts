import type { Recommendation } from "../../../schemas/analysis.ts";
import type { NoDataAfterSeconds } from "../../../schemas/signal.ts";
import { drifting } from "./drift.ts";
import type { Figures } from "./figures.ts";
import { againstFlapping } from "./flapping.ts";
import { unstable } from "./instability.ts";
import { intervalsOf } from "./intervals.ts";
import { type OwnLimits, readingLog } from "./judge.ts";
import { fittingNoData } from "./no-data.ts";
import { belowFloor } from "./noise-floor.ts";
import type { TimedStrength } from "./statistics.ts";

export interface JudgedSettings extends OwnLimits {
  readonly noDataAfterSeconds: NoDataAfterSeconds;
}

function* flapping(
  readings: readonly TimedStrength[],
  limits: OwnLimits,
): Generator<undefined, Recommendation | null> {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined) return null;
  return yield* againstFlapping(readingLog(readings), { fromMs: first.atMs, toMs: last.atMs }, limits);
}

const noData = (
  readings: readonly TimedStrength[],
  noDataAfterSeconds: NoDataAfterSeconds,
): Recommendation | null => {
  // What is learned of the feed itself needs no advice.
  if (noDataAfterSeconds === "auto") return null;
  const times = readings.map(({ atMs }) => atMs);
  const intervals = intervalsOf(times);
  if (intervals === null) return null;
  const longerThan = (ms: number) =>
    times.reduce((count, time, i) => count + (time - (times[i - 1] ?? time) > ms ? 1 : 0), 0);
  return fittingNoData(intervals, longerThan, noDataAfterSeconds);
};

/** What the data say should be changed, or is to be expected; nothing where they say nothing. In slices of some milliseconds. */
export function* recommending(
  { newest, trend, count, points }: Figures,
  settings: JudgedSettings,
): Generator<undefined, Recommendation[]> {
  const strengths = newest.map(({ strength }) => strength);
  const found = [
    yield* flapping(newest, settings),
    trend === null ? null : drifting({ trend, count, points }, settings),
    noData(newest, settings.noDataAfterSeconds),
    belowFloor(strengths, settings),
    unstable(strengths),
  ];
  return found.filter((recommendation) => recommendation !== null);
}

/** All at once. */
export const recommendationsOf = (figures: Figures, settings: JudgedSettings): Recommendation[] => {
  const slices = recommending(figures, settings);
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
  }
};
