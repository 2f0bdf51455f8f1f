import { ascending, quantile } from "./statistics.ts";

/** A stretch of time without readings, Unix ms. */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Quantiles of the time between neighbouring readings, in ms. */
export interface Intervals {
  readonly count: number;
  readonly q25: number;
  readonly q50: number;
  readonly q75: number;
  readonly q99: number;
}

/** From so many on it is known what is usual. */
const INTERVALS_MIN = 8;
export const GAPS_MAX = 100;
const GAP_MIN_MS = 1_000;
const GAP_FACTOR_MIN = 3;
const GAP_FACTOR_MAX = 20;
/** The same number of deviations as of anomalies, and what a quartile distance is of one (normal distribution). */
const DEVIATIONS = 3.5;
const QUARTILES_OF_DEVIATION = 1.349;

/** Of ascending times; null for fewer than two. */
export const intervalsOf = (times: readonly number[]): Intervals | null => {
  if (times.length < 2) return null;
  const sorted = ascending(times.slice(1).map((time, i) => time - (times[i] ?? time)));
  const of = (q: number) => quantile(sorted, q);
  return { count: sorted.length, q25: of(0.25), q50: of(0.5), q75: of(0.75), q99: of(0.99) };
};

/**
 * From how long on an interval is a gap, in ms: where it is an outlier among logarithms of intervals, for a feed may
 * be as regular as a clock (3 times the median then) or as irregular as chance (20 times). Null: too few to say.
 */
export const gapLimitMs = ({ count, q25, q50, q75 }: Intervals): number | null => {
  if (count < INTERVALS_MIN) return null;
  const deviation = Math.log(q75 / q25) / QUARTILES_OF_DEVIATION;
  const factor = Math.exp(DEVIATIONS * deviation);
  // Readings of one millisecond make the quotient infinite, or no number.
  const bounded = Math.min(
    Math.max(Number.isNaN(factor) ? GAP_FACTOR_MAX : factor, GAP_FACTOR_MIN),
    GAP_FACTOR_MAX,
  );
  return Math.max(q50 * bounded, GAP_MIN_MS);
};

/** The longest 100, in time. */
export const longestGaps = (gaps: readonly Gap[]): Gap[] =>
  [...gaps]
    .sort((a, b) => b.toMs - b.fromMs - (a.toMs - a.fromMs))
    .slice(0, GAPS_MAX)
    .sort((a, b) => a.fromMs - b.fromMs);

/** Between ascending times, those longer than the limit. */
export const gapsOf = (times: readonly number[], longerThanMs: number): Gap[] =>
  times.slice(1).flatMap((toMs, i) => {
    const fromMs = times[i] ?? toMs;
    return toMs - fromMs > longerThanMs ? [{ fromMs, toMs }] : [];
  });
