const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Spans that end now. */
export const SPANS = {
  "15m": 15 * MINUTE_MS,
  "1h": HOUR_MS,
  "6h": 6 * HOUR_MS,
  "24h": DAY_MS,
  "7d": 7 * DAY_MS,
  "30d": 30 * DAY_MS,
} as const;
export type Span = keyof typeof SPANS;
const isSpan = (text: unknown): text is Span => typeof text === "string" && text in SPANS;
export const SPAN_USUAL: Span = "1h";
const SPAN_MIN_MS = 10_000;

/** What the address says: a span up to now, or one that has its ends. */
export interface RangeAsked {
  readonly last?: Span;
  /** RFC 3339. */
  readonly from?: string;
  readonly to?: string;
}

/** Unix ms. */
export interface Range {
  readonly fromMs: number;
  readonly toMs: number;
  /** It ends now, and goes on with the time. */
  readonly isLive: boolean;
}

/** What the address cannot mean is left out. */
export const rangeAsked = ({ last, from, to }: Record<string, unknown>): RangeAsked => {
  if (typeof from === "string" && typeof to === "string" && Date.parse(from) < Date.parse(to))
    return { from, to };
  return isSpan(last) ? { last } : {};
};

export const rangeOf = ({ last = SPAN_USUAL, from, to }: RangeAsked, nowMs: number): Range =>
  from !== undefined && to !== undefined
    ? { fromMs: Date.parse(from), toMs: Date.parse(to), isLive: false }
    : { fromMs: nowMs - SPANS[last], toMs: nowMs, isLive: true };

const between = (fromMs: number, toMs: number): RangeAsked => ({
  from: new Date(fromMs).toISOString(),
  to: new Date(toMs).toISOString(),
});

/** Earlier (below 0) or later by a share of its length; one that would reach beyond now ends now. */
export const shifted = ({ fromMs, toMs }: Range, share: number, nowMs: number): RangeAsked => {
  const byMs = Math.min((toMs - fromMs) * share, nowMs - toMs);
  return between(fromMs + byMs, toMs + byMs);
};

/** Longer (above 1) or shorter, about its middle. */
export const zoomed = ({ fromMs, toMs }: Range, factor: number, nowMs: number): RangeAsked => {
  const middleMs = (fromMs + toMs) / 2;
  const halfMs = Math.max(((toMs - fromMs) * factor) / 2, SPAN_MIN_MS / 2);
  const endMs = Math.min(middleMs + halfMs, nowMs);
  return between(endMs - 2 * halfMs, endMs);
};
