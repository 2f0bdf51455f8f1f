import { z } from "zod";
import { Labels, Quality, SignalId, StrengthDbm, Timestamp, TimestampInput } from "./common.ts";
import { Reading, ReadingBucket, ReadingStep } from "./reading.ts";

export const ANALYSIS_SIGNALS_MAX = 100;
export const ANALYSIS_READINGS_MAX = 10_000;
/** Points of a series that are given for a step that was asked for. */
export const ANALYSIS_POINTS_MAX = 2_000;

/** Which signals, of what time; or readings sent along, judged by the settings of the one signal named, else by the defaults. */
const fields = {
  signalIds: z
    .array(SignalId)
    .min(1)
    .max(ANALYSIS_SIGNALS_MAX)
    .optional()
    .describe("Signals to analyse; of readings sent along, the one whose settings judge them."),
  labels: Labels.optional().describe("Analyse the signals that have all of these; at most 100 may match."),
  from: TimestampInput.optional().describe("Default: 24 hours before `to`, or the first reading sent along."),
  to: TimestampInput.optional().describe("Default: now, or just after the last reading sent along."),
  step: z
    .union([ReadingStep, z.literal("auto")])
    .default("auto")
    .describe("Step of `series`. `auto`, and `raw` where readings are too many, give the finest that fits."),
  readings: z
    .array(z.strictObject({ at: TimestampInput, strength: StrengthDbm }))
    .min(1)
    .max(ANALYSIS_READINGS_MAX)
    .optional()
    .describe("Analyse these instead of stored history. In any order; strengths in dBm."),
};

interface Asked {
  readonly signalIds?: readonly string[] | undefined;
  readonly labels?: Labels | undefined;
  readonly readings?: readonly unknown[] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}
/** What the fields of an analysis must satisfy together: path and message, or null. */
const problemOf = ({ signalIds, labels, readings, from, to }: Asked): readonly [string, string] | null => {
  const named = labels !== undefined && Object.keys(labels).length > 0;
  if (readings === undefined && signalIds === undefined && !named)
    return ["", "names no signals: give signalIds, labels or readings"];
  if (readings !== undefined && (labels !== undefined || (signalIds?.length ?? 0) > 1))
    return ["readings", "go with one of signalIds at most, and without labels"];
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to))
    return ["from", "must be before to"];
  return null;
};
export const checkAnalyze = (asked: Asked, context: z.RefinementCtx): void => {
  const problem = problemOf(asked);
  if (problem === null) return;
  const [path, message] = problem;
  context.addIssue({ code: "custom", path: path === "" ? [] : [path], message, input: asked });
};

export const AnalyzeFields = z.strictObject(fields);
export const AnalyzeRequest = AnalyzeFields.superRefine(checkAnalyze);
export type AnalyzeRequest = z.infer<typeof AnalyzeRequest>;

const Span = z.strictObject({ from: Timestamp, to: Timestamp });
const seconds = z.number().min(0);

export const Recommendation = z.strictObject({
  kind: z.enum(["hysteresis", "threshold", "drift", "noData", "noiseFloor", "instability"]),
  message: z.string(),
  change: z
    .strictObject({
      threshold: Quality.optional(),
      hysteresis: Quality.optional(),
      floorDbm: StrengthDbm.optional(),
      noDataAfterSeconds: z.number().int().min(1).optional(),
    })
    .optional()
    .describe("What to send to PATCH /v1/signals/{id}."),
  events: z
    .strictObject({ before: z.number().int().min(0), after: z.number().int().min(0) })
    .optional()
    .describe("Events that the readings cause as things are, and with the change."),
  at: Timestamp.optional().describe("When a drifting link reaches its limit, if it goes on like this."),
});
export type Recommendation = z.infer<typeof Recommendation>;

export const AnalysisSeries = z.union([
  z.strictObject({ step: z.literal("raw"), readings: z.array(Reading) }),
  z.strictObject({ step: z.enum(["1m", "5m", "1h", "1d"]), buckets: z.array(ReadingBucket) }),
]);
export type AnalysisSeries = z.infer<typeof AnalysisSeries>;

/** What cannot be said of so few readings is null. */
export const Analysis = z.strictObject({
  signalId: SignalId.nullable().describe("Null for readings that were sent along without a signal."),
  from: Timestamp,
  to: Timestamp,
  count: z.number().int().min(0),
  strength: z
    .strictObject({
      min: z.number(),
      max: z.number(),
      mean: z.number(),
      stddev: z.number().min(0),
      p5: z.number(),
      p50: z.number(),
      p95: z.number(),
    })
    .nullable()
    .describe("dBm; `stddev` (of all these readings, not of a sample) in dB."),
  quality: z.strictObject({ mean: Quality, min: Quality }).nullable(),
  availability: Quality.nullable().describe(
    "Share of the time in which the signal was known and not failed; null where it was not known at all.",
  ),
  failures: z.strictObject({
    count: z.number().int().min(0).describe("Failures that began in the span."),
    totalSeconds: seconds.describe("Time failed within the span."),
    longestSeconds: seconds,
    mttrSeconds: seconds.nullable().describe("Mean time to recover, of failures that ended in the span."),
    mtbfSeconds: seconds.nullable().describe("Time not failed for each failure that began in the span."),
  }),
  trendDbPerHour: z
    .number()
    .nullable()
    .describe("Slope of the line of least squares; null where all readings are within half an hour."),
  gaps: z
    .array(Span)
    .describe("Between readings that are much further apart than usual; the longest 100, in time."),
  anomalies: z
    .array(z.strictObject({ at: Timestamp, strength: z.number(), score: z.number() }))
    .describe("Readings with a modified z-score beyond 3.5; the most extreme 100, in time."),
  series: AnalysisSeries,
  approximated: z
    .array(z.enum(["strength", "quality", "trendDbPerHour", "gaps", "anomalies", "recommendations"]))
    .optional()
    .describe("What was taken from rollups, or from the newest readings only, as there are too many."),
  recommendations: z.array(Recommendation),
});
export type Analysis = z.infer<typeof Analysis>;

export const AnalyzeAnswer = z.strictObject({ analyses: z.array(Analysis) });
export type AnalyzeAnswer = z.infer<typeof AnalyzeAnswer>;
