import { type Counted, gapMsOfSteps, stretchesOf } from "../../chart/gaps.ts";
import { widened } from "../../chart/scale.ts";

export const WIDTH = 120;
export const HEIGHT = 24;
export const HOUR_MS = 3_600_000;
export const MINUTE_MS = 60_000;

/** A minute of a signal, in dBm. */
export interface Minute extends Counted {
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}
interface OwnScale {
  readonly floorDbm: number;
  readonly ceilingDbm: number;
}
/** Points as SVG takes them: the line of means, and around it the band from the least to the greatest. */
export interface Shape {
  readonly line: string;
  readonly band: string;
}

/**
 * An hour by the minute, one shape for each stretch without a gap. The scale is the signal's own, as wide as all of the
 * hour wants it: a mean hardly shows a dip of a few seconds, and what lies beyond the scale would be drawn at its edge.
 */
export const shapesOf = (minutes: readonly Minute[], fromMs: number, own: OwnScale): Shape[] => {
  const [min, max] = [minutes.map((one) => one.min), minutes.map((one) => one.max)];
  const { lowDbm, highDbm } = widened({ lowDbm: own.floorDbm, highDbm: own.ceilingDbm }, [], { min, max });
  const place = (atMs: number, dbm: number): string => {
    const x = ((atMs - fromMs) / HOUR_MS) * WIDTH;
    return `${x.toFixed(1)},${((1 - (dbm - lowDbm) / (highDbm - lowDbm)) * HEIGHT).toFixed(1)}`;
  };
  return stretchesOf(minutes, gapMsOfSteps(minutes, MINUTE_MS)).map((stretch) => {
    // A line from a point to itself is drawn as a dot, and one of a single point not at all.
    const drawn = stretch.length === 1 ? [...stretch, ...stretch] : stretch;
    return {
      line: drawn.map(({ atMs, mean }) => place(atMs, mean)).join(" "),
      band: [
        ...drawn.map((one) => place(one.atMs, one.max)),
        ...drawn.toReversed().map((one) => place(one.atMs, one.min)),
      ].join(" "),
    };
  });
};
