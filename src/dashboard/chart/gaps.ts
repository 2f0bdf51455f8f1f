interface Timed {
  readonly atMs: number;
}
/** A mean of a step, and of how many readings. */
export interface Counted extends Timed {
  readonly count: number;
}

/** Readings come early and late: a silence of so many usual distances is a gap, over which no line is drawn. */
const FACTOR_OF_READINGS = 5;
/** Of steps with a mean each: one may be empty by chance, where readings come about once a step, */
const FACTOR_OF_STEPS = 2.5;
/** and none where as many come as a rule. */
const NEVER_EMPTY_COUNT = 5;
const FACTOR_OF_FULL_STEPS = 1.5;

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

const usualDistanceMs = (points: readonly Timed[]): number =>
  median(points.slice(1).map(({ atMs }, n) => atMs - (points[n]?.atMs ?? atMs)));

/** How long a silence between readings may last that is no gap, in ms, by their own rhythm. */
export const gapMsOfReadings = (readings: readonly Timed[]): number =>
  usualDistanceMs(readings) * FACTOR_OF_READINGS;

/** As `gapMsOfReadings`, between the beginnings of steps that have readings. */
export const gapMsOfSteps = (steps: readonly Counted[], stepMs: number): number => {
  const isNeverEmpty = median(steps.map(({ count }) => count)) >= NEVER_EMPTY_COUNT;
  return Math.max(usualDistanceMs(steps), stepMs) * (isNeverEmpty ? FACTOR_OF_FULL_STEPS : FACTOR_OF_STEPS);
};

/** What lies between two gaps, each with at least one point. */
export const stretchesOf = <Point extends Timed>(points: readonly Point[], gapMs: number): Point[][] => {
  const stretches: Point[][] = [];
  let beforeMs = Number.NEGATIVE_INFINITY;
  for (const point of points) {
    if (point.atMs - beforeMs > gapMs) stretches.push([]);
    stretches.at(-1)?.push(point);
    beforeMs = point.atMs;
  }
  return stretches;
};
