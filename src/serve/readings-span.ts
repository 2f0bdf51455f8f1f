import { z } from "zod";
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

/** What is left of a query: `[fromMs, toMs)` without the first `skip` readings that stand at `fromMs`. */
export const ReadingsPlace = z.strictObject({
  step: ReadingStep,
  fromMs: z.number().int(),
  toMs: z.number().int(),
  skip: z.number().int().min(0),
});
export type ReadingsPlace = z.infer<typeof ReadingsPlace>;

/** Where a query begins: as its cursor says, for a page belongs to the span of the first; else by its own span. */
export const readingsPlace = (query: ReadingsQuery, nowMs: number): ReadingsPlace => {
  if (query.cursor !== undefined) return decodeCursor(ReadingsPlace, query.cursor);
  const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
  const fromMs = query.from === undefined ? toMs - DEFAULT_SPAN_MS : Date.parse(query.from);
  if (fromMs >= toMs) throw validationFailed([{ path: "from", message: "must be before to" }]);
  const step = query.step === "auto" ? automaticStep(toMs - fromMs) : query.step;
  if (step === "raw") return { step, fromMs, toMs, skip: 0 };
  // A bucket is shown whole, also the one that the span begins in.
  return { step, fromMs: Math.floor(fromMs / STEP_MS[step]) * STEP_MS[step], toMs, skip: 0 };
};
