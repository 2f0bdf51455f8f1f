const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
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
export const SPAN_NAMES = Object.keys(SPANS).filter((name): name is Span => name in SPANS);
export const SPAN_USUAL: Span = "1h";
const SPAN_MIN_MS = 10 * SECOND_MS;
const SPAN_MAX_MS = 1_000 * DAY_MS;
/** Time goes on between a step back and the step forth: who is back by all but this share of the length is at now. */
const NEAR = 0.05;

/** What the address says: a span up to now, or one that has its ends. */
export interface RangeAsked {
  /** A number and its unit, such as `15m`. */
  readonly last?: string;
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

const LENGTH = /^(\d{1,9})([smhd])$/;
const UNITS_MS = new Map([
  ["s", SECOND_MS],
  ["m", MINUTE_MS],
  ["h", HOUR_MS],
  ["d", DAY_MS],
]);

/** How long a span is; null: the text says none, or one that cannot be shown. */
const lengthOf = (text: string): number | null => {
  const [, count = "", unit = ""] = LENGTH.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS.get(unit) ?? Number.NaN);
  return ms >= SPAN_MIN_MS && ms <= SPAN_MAX_MS ? ms : null;
};

/** What the address cannot mean is left out. */
export const rangeAsked = ({ last, from, to }: Record<string, unknown>): RangeAsked => {
  if (typeof from === "string" && typeof to === "string" && Date.parse(from) < Date.parse(to))
    return { from, to };
  return typeof last === "string" && lengthOf(last) !== null ? { last } : {};
};

export const rangeOf = ({ last = SPAN_USUAL, from, to }: RangeAsked, nowMs: number): Range =>
  from !== undefined && to !== undefined
    ? { fromMs: Date.parse(from), toMs: Date.parse(to), isLive: false }
    : { fromMs: nowMs - (lengthOf(last) ?? SPANS[SPAN_USUAL]), toMs: nowMs, isLive: true };

const between = (fromMs: number, toMs: number): RangeAsked => ({
  from: new Date(fromMs).toISOString(),
  to: new Date(toMs).toISOString(),
});

const bounded = (lengthMs: number): number => Math.min(SPAN_MAX_MS, Math.max(SPAN_MIN_MS, lengthMs));

/** The span of a length that ends now, by its usual name if it has one. */
const upToNow = (lengthMs: number): RangeAsked => {
  const seconds = Math.round(bounded(lengthMs) / SECOND_MS);
  return { last: SPAN_NAMES.find((name) => SPANS[name] === seconds * SECOND_MS) ?? `${seconds}s` };
};

/** Earlier (below 0) or later by a share of its length; one that would come about as far as now goes on with it. */
export const shifted = ({ fromMs, toMs, isLive }: Range, share: number, nowMs: number): RangeAsked => {
  const lengthMs = toMs - fromMs;
  const byMs = lengthMs * share;
  const comesToNow = isLive || toMs + byMs >= nowMs - lengthMs * NEAR;
  return share > 0 && comesToNow ? upToNow(lengthMs) : between(fromMs + byMs, toMs + byMs);
};

/** Longer (above 1) or shorter, about its middle; one that ends now, or would reach it, goes on with it. */
export const zoomed = ({ fromMs, toMs, isLive }: Range, factor: number, nowMs: number): RangeAsked => {
  const lengthMs = bounded((toMs - fromMs) * factor);
  const endMs = (fromMs + toMs + lengthMs) / 2;
  return isLive || endMs >= nowMs ? upToNow(lengthMs) : between(endMs - lengthMs, endMs);
};
