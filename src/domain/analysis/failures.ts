/** What a signal became, and when (Unix ms). */
export interface StatusChange {
  readonly atMs: number;
  readonly failed: boolean;
}

/** What was known of a signal within `[fromMs, toMs)`; changes in order of time. */
export interface StatusHistory {
  readonly fromMs: number;
  readonly toMs: number;
  readonly failedBefore: boolean;
  readonly changes: readonly StatusChange[];
}

/** Seconds; what cannot be said is null. */
export interface Failures {
  readonly count: number;
  readonly totalSeconds: number;
  readonly longestSeconds: number;
  readonly mttrSeconds: number | null;
  readonly mtbfSeconds: number | null;
}

interface Failure {
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether its beginning and its end lie within the span. */
  readonly began: boolean;
  readonly ended: boolean;
}

export const NO_FAILURES: Failures = {
  count: 0,
  totalSeconds: 0,
  longestSeconds: 0,
  mttrSeconds: null,
  mtbfSeconds: null,
};

const failuresWithin = ({ fromMs, toMs, failedBefore, changes }: StatusHistory): Failure[] => {
  const failures: Failure[] = [];
  let start = failedBefore ? { fromMs, began: false } : null;
  for (const { atMs, failed } of changes) {
    if (failed) start ??= { fromMs: atMs, began: true };
    else if (start !== null) {
      failures.push({ ...start, toMs: atMs, ended: true });
      start = null;
    }
  }
  if (start !== null) failures.push({ ...start, toMs, ended: false });
  return failures;
};

const lengthSeconds = ({ fromMs, toMs }: Failure): number => (toMs - fromMs) / 1000;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The part of a failure that lies in the span counts for times; MTTR and MTBF go by what began or ended in it. */
export const failuresOf = (history: StatusHistory): { availability: number | null; failures: Failures } => {
  const spanSeconds = (history.toMs - history.fromMs) / 1000;
  if (spanSeconds <= 0) return { availability: null, failures: NO_FAILURES };
  const failures = failuresWithin(history);
  const lengths = failures.map(lengthSeconds);
  const totalSeconds = sum(lengths);
  const count = failures.filter(({ began }) => began).length;
  const repaired = failures.filter(({ ended }) => ended).map(lengthSeconds);
  return {
    availability: 1 - totalSeconds / spanSeconds,
    failures: {
      count,
      totalSeconds,
      longestSeconds: Math.max(0, ...lengths),
      mttrSeconds: repaired.length === 0 ? null : sum(repaired) / repaired.length,
      mtbfSeconds: count === 0 ? null : (spanSeconds - totalSeconds) / count,
    },
  };
};
