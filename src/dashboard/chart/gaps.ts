interface Timed {
  readonly atMs: number;
}

/** Readings come early and late: a silence of so many usual distances is a gap, over which no line is drawn. */
const FACTOR_OF_READINGS = 5;
/** Of steps with a mean each: one may be empty by chance, where readings come about once a step. */
const FACTOR_OF_STEPS = 2.5;

/**
 * How long a silence may last that is no gap, in ms, by the rhythm of what comes one after the other. `stepMs`: of the
 * steps that they are means of; 0: they are readings themselves.
 */
export const gapMsOf = (points: readonly Timed[], stepMs: number): number => {
  const distances = points.slice(1).map(({ atMs }, n) => atMs - (points[n]?.atMs ?? atMs));
  const usualMs = distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0;
  return stepMs === 0 ? usualMs * FACTOR_OF_READINGS : Math.max(usualMs, stepMs) * FACTOR_OF_STEPS;
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
