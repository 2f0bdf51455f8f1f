import { type Range, SPANS, type Span } from "../../chart/range.ts";

/** How far back a rule is tried. */
export const TRIED: readonly Span[] = ["1h", "6h", "24h", "7d", "30d"];
/** The longest that is tried unasked. */
export const TRIED_USUAL: Span = "7d";

/** The shortest span up to `toMs` in which all readings from the first one on are. Unix ms; null: there are none yet. */
export const spanHolding = (firstMs: number | null, toMs: number): Span => {
  const unasked = TRIED.slice(0, TRIED.indexOf(TRIED_USUAL));
  return unasked.find((span) => toMs - SPANS[span] <= (firstMs ?? toMs)) ?? TRIED_USUAL;
};

/** The span as it is shown: from the first reading on, where there is nothing before; never less than the shortest. */
export const rangeShown = (span: Span, firstMs: number | null, toMs: number): Range => {
  const fromMs = Math.max(toMs - SPANS[span], firstMs ?? 0);
  return { fromMs: Math.min(fromMs, toMs - SPANS["1h"]), toMs, isLive: false };
};
