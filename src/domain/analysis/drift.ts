import type { Recommendation } from "../../../schemas/analysis.ts";
import type { OwnLimits } from "./judge.ts";
import type { TimedStrength } from "./statistics.ts";
import { levelAt, type Trend, timeOfLevel, trendOf } from "./trend.ts";

const HOUR_MS = 3_600_000;
const READINGS_MIN = 20;
const FALL_MIN_DB = 1;
/** The fall over the span stands out of what readings are off the line. */
const FALL_OF_RESIDUAL = 2;
/** The later half falls at least so steeply as the whole: else it was a step, and is over. */
const LATER_OF_WHOLE = 0.5;
/** No further ahead than this many times the span that was seen. */
const AHEAD = 5;

export interface Course {
  readonly trend: Trend;
  readonly count: number;
  /** Readings, or the means of buckets, in order of time. */
  readonly points: readonly TimedStrength[];
}

const isFalling = ({ trend, count, points }: Course, spanMs: number): boolean => {
  const fallDb = (-trend.dbPerHour * spanMs) / HOUR_MS;
  if (count < READINGS_MIN || spanMs < HOUR_MS || fallDb < FALL_MIN_DB) return false;
  if (fallDb < FALL_OF_RESIDUAL * trend.residualDb) return false;
  const later = trendOf(points.slice(Math.floor(points.length / 2)));
  return later !== null && later.dbPerHour <= trend.dbPerHour * LATER_OF_WHOLE;
};

const shown = (value: number): number => Math.round(value * 100) / 100;

/** Null unless the signal falls steadily, is above its limit still, and would reach it before long. */
export const drifting = (course: Course, limits: OwnLimits): Recommendation | null => {
  const { trend, points } = course;
  const [first, last] = [points[0]?.atMs ?? 0, points.at(-1)?.atMs ?? 0];
  const spanMs = last - first;
  const limitDbm = limits.floorDbm + limits.threshold * (limits.ceilingDbm - limits.floorDbm);
  // A quality is never below 0.
  if (limits.threshold === 0) return null;
  if (!isFalling(course, spanMs) || levelAt(trend, last) <= limitDbm) return null;
  const atMs = timeOfLevel(trend, limitDbm);
  if (!(atMs <= last + AHEAD * spanMs)) return null;
  const at = new Date(atMs).toISOString();
  return {
    kind: "drift",
    message: `The signal falls by ${shown(-trend.dbPerHour)} dB an hour; if it goes on like this it is at ${shown(limitDbm)} dBm, where it fails, at ${at}.`,
    at,
  };
};
