import { ANALYSIS_POINTS_MAX, type AnalyzeRequest } from "../../../schemas/analysis.ts";
import type { ReadingStep } from "../../../schemas/reading.ts";
import { validationFailed } from "../problem.ts";
import { bounded, STEP_MS } from "../readings-span.ts";

export type BucketStep = keyof typeof STEP_MS;

/** `[fromMs, toMs)`, Unix ms. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const DEFAULT_SPAN_MS = 86_400_000;
/** Points of a series whose step was not asked for. */
const POINTS = 500;
const BUCKETS: readonly BucketStep[] = ["1m", "5m", "1h"];

/** The finest step by which a span has at most 500 buckets; days where none does. */
export const bucketStep = ({ fromMs, toMs }: Span): BucketStep =>
  BUCKETS.find((step) => toMs - fromMs <= POINTS * STEP_MS[step]) ?? "1d";

/** The step that a series is given by: raw only where readings are few enough. */
export const seriesStep = (asked: AnalyzeRequest["step"], span: Span, count: number): ReadingStep => {
  if (asked === "auto") return count <= POINTS ? "raw" : bucketStep(span);
  if (asked === "raw") return count <= ANALYSIS_POINTS_MAX ? "raw" : bucketStep(span);
  return asked;
};

const checkStep = (asked: AnalyzeRequest["step"], { fromMs, toMs }: Span): void => {
  if (asked === "auto" || asked === "raw") return;
  const steps = Math.ceil((toMs - fromMs) / STEP_MS[asked]);
  if (steps <= ANALYSIS_POINTS_MAX) return;
  const message = `divides the span into ${steps} steps; at most ${ANALYSIS_POINTS_MAX} are given`;
  throw validationFailed([{ path: "step", message }]);
};

const spanBetween = ({ step }: AnalyzeRequest, fromMs: number, toMs: number): Span => {
  if (fromMs >= toMs) throw validationFailed([{ path: "from", message: "must be before to" }]);
  const span = { fromMs: bounded(fromMs), toMs: bounded(toMs) };
  checkStep(step, span);
  return span;
};

/** The span of stored history that is asked for: by default the 24 hours before `to`. */
export const storedSpan = (request: AnalyzeRequest, nowMs: number): Span => {
  const toMs = request.to === undefined ? nowMs : Date.parse(request.to);
  const fromMs = request.from === undefined ? toMs - DEFAULT_SPAN_MS : Date.parse(request.from);
  return spanBetween(request, fromMs, toMs);
};

/** The span of readings sent along, in order of time: theirs, unless said otherwise. */
export const sentSpan = (request: AnalyzeRequest, times: readonly number[]): Span => {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const fromMs = request.from === undefined ? first : Date.parse(request.from);
  const toMs = request.to === undefined ? last + 1 : Date.parse(request.to);
  return spanBetween(request, fromMs, toMs);
};
