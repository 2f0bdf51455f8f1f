import { STRENGTH_MAX_DBM, STRENGTH_MIN_DBM } from "../../../schemas/strength-range.ts";
import type { Limit, Scale } from "./chart.tsx";
import type { History } from "./history.ts";

const STEP_DB = 10;

/** The scale, widened to whole tens of dB so that the limits and all of a history are on it. */
export const widened = (
  { lowDbm, highDbm }: Scale,
  limits: readonly Limit[],
  { min, max }: Pick<History, "min" | "max">,
): Scale => {
  const ofLimits = limits.flatMap(({ firesAtDbm, clearsAtDbm }) => [firesAtDbm, clearsAtDbm]);
  let [low, high] = [lowDbm, highDbm];
  for (const values of [ofLimits, min, max])
    for (const value of values) {
      // A limit may be half typed.
      if (value === null || Number.isNaN(value)) continue;
      low = Math.min(low, Math.max(value, STRENGTH_MIN_DBM));
      high = Math.max(high, Math.min(value, STRENGTH_MAX_DBM));
    }
  return { lowDbm: Math.floor(low / STEP_DB) * STEP_DB, highDbm: Math.ceil(high / STEP_DB) * STEP_DB };
};
