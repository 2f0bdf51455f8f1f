import type { Recommendation } from "../../../schemas/analysis.ts";
import { median } from "./statistics.ts";

const READINGS_MIN = 20;
/** Four times the power, or a quarter, from one reading to the next: beyond what usual fading does half of the time. */
const JUMP_DB = 6;

/** A link whose readings jump; a median, so that a few steps or outages are none. What is to be done is done on site. */
export const unstable = (strengths: readonly number[]): Recommendation | null => {
  if (strengths.length < READINGS_MIN) return null;
  const jumps = strengths.slice(1).map((strength, i) => Math.abs(strength - (strengths[i] ?? strength)));
  const usual = Math.round(median(jumps) * 10) / 10;
  if (usual < JUMP_DB) return null;
  return {
    kind: "instability",
    message: `Half of the ${strengths.length} readings differ by ${usual} dB or more from the one before: look for interference, movement, a loose connector, or two senders under one name.`,
  };
};
