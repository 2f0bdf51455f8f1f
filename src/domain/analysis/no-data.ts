import type { Recommendation } from "../../../schemas/analysis.ts";
import type { Intervals } from "./intervals.ts";

/** Intervals that people would choose, in seconds. */
const CHOICES = [
  10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1_200, 1_800, 2_700, 3_600, 7_200, 10_800, 21_600,
  43_200, 86_400, 172_800, 604_800,
];
const INTERVALS_MIN = 20;
/** What fits a feed is this many times the interval that 99 of 100 keep. */
const PATIENCE = 3;
/** Too short: it is passed at least so often, and so large a share of the intervals. */
const FALSE_ALARMS_MIN = 3;
const FALSE_ALARMS_SHARE = 0.01;
/** Too long: more than what fits by this factor, while what fits would be passed by hardly one interval in a thousand more. */
const SLOW = 10;
const MORE_ALARMS_SHARE = 0.001;

/** How many of the intervals are longer than so many milliseconds. */
export type LongerThan = (ms: number) => number;

const fitting = ({ q99 }: Intervals): number | null =>
  CHOICES.find((seconds) => seconds * 1000 >= q99 * PATIENCE) ?? null;

/** Each silence fails the signal, and the next reading brings it back. */
const eventsOf = (silences: number): number => 2 * silences;

/** Null where the interval fits, is switched off, or so few readings came that nothing can be said. */
export const fittingNoData = (
  intervals: Intervals,
  longerThan: LongerThan,
  noDataAfterSeconds: number | null,
): Recommendation | null => {
  const fit = fitting(intervals);
  if (noDataAfterSeconds === null || fit === null || intervals.count < INTERVALS_MIN) return null;
  const [before, after] = [longerThan(noDataAfterSeconds * 1000), longerThan(fit * 1000)];
  const change = { noDataAfterSeconds: fit };
  const events = { before: eventsOf(before), after: eventsOf(after) };
  const usual = `99 of 100 readings come within ${Math.round(intervals.q99) / 1000} s of the one before`;
  const falseAlarms = before >= FALSE_ALARMS_MIN && before >= intervals.count * FALSE_ALARMS_SHARE;
  if (fit > noDataAfterSeconds && falseAlarms) {
    const message = `${usual}: ${before} pauses are longer than the ${noDataAfterSeconds} s after which the signal fails for want of data, and ${after} longer than ${fit} s.`;
    return { kind: "noData", message, change, events };
  }
  if (noDataAfterSeconds >= fit * SLOW && after - before <= intervals.count * MORE_ALARMS_SHARE) {
    const message = `${usual}: a feed that stops could be told after ${fit} s instead of ${noDataAfterSeconds} s.`;
    return { kind: "noData", message, change, events };
  }
  return null;
};
