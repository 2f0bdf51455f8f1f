import type { Recommendation } from "../../../schemas/analysis.ts";
import { failuresOf, type StatusChange } from "./failures.ts";
import { judge, type OwnLimits, type ReadingLog } from "./judge.ts";

const FAILURES_MIN = 3;
/** A remedy leaves at most this share of the failures. */
const LEFT_MAX = 0.25;
/** And at most this share of the time more as failed: else it would only hide how often the link comes back. */
const FAILED_SHARE_MORE = 0.15;
const STEP = 0.05;
const HYSTERESIS_MAX = 0.5;
/** Lower than this below the threshold, a failure is no flicker. */
const THRESHOLD_LOWER_MAX = 0.15;

interface Judged {
  readonly limits: OwnLimits;
  readonly changes: readonly StatusChange[];
  readonly failures: number;
  readonly failedShare: number;
}
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const judged = (log: ReadingLog, span: Span, limits: OwnLimits): Judged => {
  const changes = judge(log, limits);
  const { availability, failures } = failuresOf({ ...span, failedBefore: false, changes });
  return { limits, changes, failures: failures.count, failedShare: 1 - (availability ?? 1) };
};

/** To two decimals: steps of 0.05 would add up to 0.15000000000000002. */
const rounded = (value: number): number => Math.round(value * 100) / 100;

const steps = (from: number, to: number): number[] => {
  const count = Math.floor(Math.abs(to - from) / STEP + 1e-9);
  return Array.from({ length: count }, (_, i) => rounded(from + Math.sign(to - from) * STEP * (i + 1)));
};

/** Wider hystereses first, then lower thresholds, each from the one nearest to what is. */
const remedies = (limits: OwnLimits): OwnLimits[] => {
  const widest = Math.min(HYSTERESIS_MAX, 1 - limits.threshold);
  const lowest = Math.max(STEP, limits.threshold - THRESHOLD_LOWER_MAX);
  return [
    ...(widest > limits.hysteresis ? steps(limits.hysteresis, widest) : []).map((hysteresis) => ({
      ...limits,
      hysteresis,
    })),
    ...(lowest < limits.threshold ? steps(limits.threshold, lowest) : []).map((threshold) => ({
      ...limits,
      threshold,
    })),
  ];
};

const helps = (before: Judged, after: Judged): boolean =>
  after.failures <= before.failures * LEFT_MAX && after.failedShare <= before.failedShare + FAILED_SHARE_MORE;

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

const recommended = (before: Judged, after: Judged): Recommendation => {
  const kind = after.limits.hysteresis === before.limits.hysteresis ? "threshold" : "hysteresis";
  const [was, would] = [before.limits[kind], after.limits[kind]];
  const often = after.failures === 0 ? "not at all" : times(after.failures);
  return {
    kind,
    message: `These readings fail the signal ${times(before.failures)}; with a ${kind} of ${would} instead of ${was}, ${often}.`,
    change: { [kind]: would },
    events: { before: before.changes.length, after: after.changes.length },
  };
};

/**
 * The smallest change of hysteresis, else of threshold, under which the evaluator would have told at most a quarter of
 * the failures. Null where there are few, or none of the changes stops them: then they are real. Yields after each
 * judgement, which takes some milliseconds.
 */
export function* againstFlapping(
  log: ReadingLog,
  span: Span,
  limits: OwnLimits,
): Generator<undefined, Recommendation | null> {
  const before = judged(log, span, limits);
  if (before.failures < FAILURES_MIN) return null;
  for (const remedy of remedies(limits)) {
    yield;
    const after = judged(log, span, remedy);
    if (helps(before, after)) return recommended(before, after);
  }
  return null;
}
