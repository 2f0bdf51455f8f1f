import { type Scale, shownQuality } from "../quality.ts";

/** A reading under analysis: Unix ms and dBm. */
export interface TimedStrength {
  readonly atMs: number;
  readonly strength: number;
}

/** dBm, and dB for `stddev`, which is of all these readings, not estimated from a sample. */
export interface StrengthStatistics {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly stddev: number;
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
}

/** The quantile `q` (0 to 1) of ascending values, linear between neighbours: type 7 of Hyndman and Fan, 1996. */
export const quantile = (ascending: readonly number[], q: number): number => {
  const at = (ascending.length - 1) * q;
  const below = Math.floor(at);
  const low = ascending[below] ?? Number.NaN;
  const high = ascending[below + 1] ?? low;
  return low + (high - low) * (at - below);
};

export const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);
export const median = (values: readonly number[]): number => quantile(ascending(values), 0.5);
export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Null without values. In two passes: a sum of squares alone would lose digits. */
export const statisticsOf = (values: readonly number[]): StrengthStatistics | null => {
  if (values.length === 0) return null;
  const sorted = ascending(values);
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    min: sorted[0] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
    mean,
    stddev: Math.sqrt(squares / values.length),
    p5: quantile(sorted, 0.05),
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
  };
};

export const meanQuality = (values: readonly number[], { floorDbm, ceilingDbm }: Scale): number =>
  meanOf(values.map((value) => shownQuality(value, floorDbm, ceilingDbm)));
