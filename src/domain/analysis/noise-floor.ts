import type { Recommendation } from "../../../schemas/analysis.ts";
import { STRENGTH_MIN_DBM } from "../../../schemas/common.ts";
import type { OwnLimits } from "./judge.ts";
import { ascending, quantile } from "./statistics.ts";

const READINGS_MIN = 20;
/** From this share on it is no exception that a reading is so weak. */
const SHARE_MIN = 0.1;
/** A floor is a round number, below all but the weakest of readings. */
const STEP_DB = 5;
const WEAKEST = 0.01;

const toPlaces = (value: number, places: number): number => Number(value.toFixed(places));

/** The settings that mean the same strengths above another floor. */
const above = (floorDbm: number, { threshold, hysteresis, floorDbm: before, ceilingDbm }: OwnLimits) => {
  const shrunk = (ceilingDbm - before) / (ceilingDbm - floorDbm);
  // Of nothing that ever fails nothing is to be kept.
  if (threshold === 0) return { floorDbm };
  return {
    floorDbm,
    threshold: toPlaces(1 - (1 - threshold) * shrunk, 4),
    hysteresis: toPlaces(hysteresis * shrunk, 4),
  };
};

/**
 * A lower floor where many readings are below it: their quality is 0 all the same, however weak they are. Threshold and
 * hysteresis go with it, so that the signal fails at the same strength as before.
 */
export const belowFloor = (strengths: readonly number[], limits: OwnLimits): Recommendation | null => {
  const { floorDbm, ceilingDbm, threshold } = limits;
  const below = strengths.filter((strength) => strength < floorDbm).length;
  if (strengths.length < READINGS_MIN || below < strengths.length * SHARE_MIN) return null;
  const weakest = quantile(ascending(strengths), WEAKEST);
  const lower = Math.max(STRENGTH_MIN_DBM, Math.floor(weakest / STEP_DB) * STEP_DB);
  if (lower >= floorDbm) return null;
  const change = above(lower, limits);
  const limitDbm = toPlaces(floorDbm + threshold * (ceilingDbm - floorDbm), 2);
  const kept =
    threshold === 0 ? "" : `; with a threshold of ${change.threshold} it fails at ${limitDbm} dBm still`;
  return {
    kind: "noiseFloor",
    message: `${below} of ${strengths.length} readings are below ${floorDbm} dBm, the floor, and have the quality 0 however weak they are; a floor of ${lower} dBm tells them apart${kept}.`,
    change,
  };
};
