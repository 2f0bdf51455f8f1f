import { DEFAULT_CEILING_DBM, DEFAULT_FLOOR_DBM } from "../../../schemas/signal.ts";
import type { Unit } from "../../../schemas/source.ts";

/** The strength in dBm of a number in a unit; NaN where the unit knows no such number. */
export type ToDbm = (raw: number) => number;

const fromPercent: ToDbm = (percent) =>
  percent >= 0 && percent <= 100
    ? DEFAULT_FLOOR_DBM + (percent / 100) * (DEFAULT_CEILING_DBM - DEFAULT_FLOOR_DBM)
    : Number.NaN;

/**
 * `mW`: 10 · log10(P), with P above 0. `percent`: a share of the span from the default floor to the default ceiling,
 * 0 % = −100 dBm, 100 % = −50 dBm, whatever a signal's own floor and ceiling are. `{scale, offset}`: raw · scale + offset.
 */
export const compileUnit = (unit: Unit | undefined): ToDbm => {
  if (unit === undefined || unit === "dBm") return (raw) => raw;
  if (unit === "mW") return (raw) => (raw > 0 ? 10 * Math.log10(raw) : Number.NaN);
  if (unit === "percent") return fromPercent;
  return (raw) => raw * unit.scale + unit.offset;
};
