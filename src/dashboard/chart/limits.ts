import { type Condition, effectiveHysteresis } from "../../../schemas/condition.ts";
import type { Signal } from "../../../schemas/signal.ts";
import type { Limit, Scale } from "./chart.tsx";

type Spanned = Pick<Signal, "floorDbm" | "ceilingDbm">;

/** Quality as strength in dBm: it is a share of the span from floor to ceiling. */
export const dbmOfQuality = ({ floorDbm, ceilingDbm }: Spanned, quality: number): number =>
  floorDbm + (ceilingDbm - floorDbm) * quality;

/** A signal's own scale, and the limit below which it fails by itself. */
export const limitsOf = (
  signal: Spanned & Pick<Signal, "threshold" | "hysteresis">,
): { readonly scale: Scale; readonly limit: Limit } => {
  const { floorDbm, ceilingDbm, threshold, hysteresis } = signal;
  return {
    scale: { lowDbm: floorDbm, highDbm: ceilingDbm },
    limit: {
      firesAtDbm: dbmOfQuality(signal, threshold),
      clearsAtDbm: dbmOfQuality(signal, Math.min(1, threshold + hysteresis)),
    },
  };
};

/** Where a rule fires on a signal, and where it clears; null for what is no limit of strength. `limit` as the rule has it. */
export const ruleLimitOf = (
  condition: Pick<Condition, "metric" | "operator" | "hysteresis" | "value">,
  limit: number,
  signal: Spanned,
): Limit | null => {
  const { metric, operator } = condition;
  if (operator === "change" || operator === "noData") return null;
  const dbm = (value: number) => (metric === "quality" ? dbmOfQuality(signal, value) : value);
  const hysteresis = effectiveHysteresis(condition);
  const clears = operator === "above" ? limit - hysteresis : limit + hysteresis;
  return { firesAtDbm: dbm(limit), clearsAtDbm: dbm(clears) };
};
