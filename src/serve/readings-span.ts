import { z } from "zod";
import { StrengthDbm } from "../../schemas/common.ts";
import { ReadingStep, type ReadingsQuery } from "../../schemas/reading.ts";
import { decodeCursor } from "../domain/cursor.ts";
import { validationFailed } from "./problem.ts";

export const STEP_MS = {
  "1m": 60_000,
  "5m": 300_000,
  "1h": 3_600_000,
  "1d": 86_400_000,
} as const satisfies Record<Exclude<ReadingStep, "raw">, number>;

/** About as many points as a chart is wide, and as the largest page holds. */
const POINTS = 500;
/** A feed is taken to send about one reading a second. */
const RAW_SPAN_MS = POINTS * 1_000;
const DEFAULT_SPAN_MS = 3_600_000;

const BUCKET_STEPS = ["1m", "5m", "1h"] as const;

/** The finest step with which a span still fits one page. */
export const automaticStep = (spanMs: number): ReadingStep =>
  spanMs <= RAW_SPAN_MS ? "raw" : (BUCKET_STEPS.find((step) => spanMs <= POINTS * STEP_MS[step]) ?? "1d");

/** No reading is before 1970 or after 2200, and the time series cannot hold times far beyond. */
const BOUND_MAX_MS = Date.UTC(2200, 0, 1);
/** What the time series can leave out (UInt32). */
const SKIP_MAX = 2 ** 32 - 1;
const Bound = z.number().int().min(0).max(BOUND_MAX_MS);
export const bounded = (ms: number): number => Math.min(Math.max(0, ms), BOUND_MAX_MS);

/**
 * What is left of a query: `[fromMs, toMs)`, without those of the readings at `fromMs` that are weaker than `strength`
 * and the first `skip` that have it: so readings that come in meanwhile neither repeat nor hide another.
 */
export const ReadingsPlace = z.strictObject({
  step: ReadingStep,
  fromMs: Bound,
  toMs: Bound,
  strength: StrengthDbm.optional(),
  skip: z.number().int().min(0).max(SKIP_MAX),
});
export type ReadingsPlace = z.infer<typeof ReadingsPlace>;

/** Where a query begins: as its cursor says, for a page belongs to the span of the first; else by its own span. */
export const readingsPlace = (query: ReadingsQuery, nowMs: number): ReadingsPlace => {
  if (query.cursor !== undefined) return decodeCursor(ReadingsPlace, query.cursor);
  const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
  const fromMs = query.from === undefined ? toMs - DEFAULT_SPAN_MS : Date.parse(query.from);
  if (fromMs >= toMs) throw validationFailed([{ path: "from", message: "must be before to" }]);
  const step = query.step === "auto" ? automaticStep(toMs - fromMs) : query.step;
  const [first, end] = [bounded(fromMs), bounded(toMs)];
  if (step === "raw") return { step, fromMs: first, toMs: end, skip: 0 };
  // A bucket is shown whole, also the one that the span begins in.
  return { step, fromMs: Math.floor(first / STEP_MS[step]) * STEP_MS[step], toMs: end, skip: 0 };
};
