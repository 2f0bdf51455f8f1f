import type { Figures } from "./bench.ts";

/** The value below which a share of the sorted samples lies (nearest rank); NaN of no samples. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;

export const summary = (samples: readonly number[]) => {
  const sorted = [...samples].sort((a, b) => a - b);
  const rounded = (share: number) => Number(quantile(sorted, share).toFixed(2));
  return {
    count: sorted.length,
    min: rounded(0),
    p50: rounded(0.5),
    p90: rounded(0.9),
    p99: rounded(0.99),
    max: rounded(1),
  };
};

/** Of milliseconds. */
export const latencies = (samples: readonly number[]): Figures => {
  const { p50, p99, max } = summary(samples);
  return { "p50 ms": p50, "p99 ms": p99, "max ms": max };
};
