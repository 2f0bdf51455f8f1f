import { z } from "zod";
import {
  Labels,
  ListQuery,
  Quality,
  RuleId,
  repeatable,
  SignalId,
  SourceId,
  StrengthDbm,
  Timestamp,
} from "./common.ts";

export const DEFAULT_FLOOR_DBM = -100;
export const DEFAULT_CEILING_DBM = -50;
/** Hysteresis of a signal's own threshold, as a share of quality. */
export const DEFAULT_THRESHOLD_HYSTERESIS = 0.05;
export const DEFAULT_NO_DATA_AFTER_SECONDS = 300;
/** The threshold of a signal that a source creates, unless the source's defaults say otherwise. */
export const DEFAULT_CREATED_THRESHOLD = 0.2;

export const SignalStatus = z.enum(["active", "failed", "paused"]);
export type SignalStatus = z.infer<typeof SignalStatus>;

/** Why a signal is failed: one entry for each condition that holds. `value` is dBm, quality, or seconds of silence. */
export const Reason = z.strictObject({
  kind: z.enum(["threshold", "rule", "noData"]),
  ruleId: RuleId.optional(),
  since: Timestamp,
  value: z.number().nullable(),
});
export type Reason = z.infer<typeof Reason>;

const name = z.string().trim().min(1).max(200);
const externalId = z.string().min(1).max(200);
/** `auto`: learned from the feed's own rhythm, three times the gap that 99 of 100 do not reach. */
export const NoDataAfterSeconds = z
  .union([z.number().int().min(1).max(31_536_000), z.literal("auto")])
  .nullable()
  .describe(
    "Seconds without a reading after which the signal fails; `auto` learns them from the feed's own rhythm, and takes 300 until it has; null: silence does not matter.",
  );
export type NoDataAfterSeconds = z.infer<typeof NoDataAfterSeconds>;

/** What a user may set of a signal. `hysteresis` is a share of quality. */
const settings = {
  name,
  threshold: Quality,
  externalId: externalId.nullable(),
  labels: Labels,
  floorDbm: StrengthDbm,
  ceilingDbm: StrengthDbm,
  hysteresis: Quality,
  noDataAfterSeconds: NoDataAfterSeconds,
};

const floorBelowCeiling = (signal: { floorDbm?: number | undefined; ceilingDbm?: number | undefined }) =>
  (signal.floorDbm ?? DEFAULT_FLOOR_DBM) < (signal.ceilingDbm ?? DEFAULT_CEILING_DBM);
const FLOOR_MESSAGE = { message: "must be below ceilingDbm", path: ["floorDbm"] };

export const SignalCreate = z
  .strictObject({
    name,
    threshold: Quality,
    externalId: externalId.nullable().default(null),
    labels: Labels.default({}),
    floorDbm: StrengthDbm.default(DEFAULT_FLOOR_DBM),
    ceilingDbm: StrengthDbm.default(DEFAULT_CEILING_DBM),
    hysteresis: Quality.default(DEFAULT_THRESHOLD_HYSTERESIS),
    noDataAfterSeconds: NoDataAfterSeconds.default(DEFAULT_NO_DATA_AFTER_SECONDS),
  })
  .refine(floorBelowCeiling, FLOOR_MESSAGE);
export type SignalCreate = z.infer<typeof SignalCreate>;

/** Checked against the stored signal for floor and ceiling once the two are merged. */
export const SignalPatch = z
  .strictObject({ ...settings, status: z.enum(["paused", "active"]) })
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, "names no field to change");
export type SignalPatch = z.infer<typeof SignalPatch>;

/** A signal may have as many rules as its account: an event that named each that fires would be far too long. */
export const SIGNAL_REASONS_MAX = 20;

export const Signal = z.strictObject({
  id: SignalId,
  ...settings,
  status: SignalStatus,
  sourceId: SourceId.nullable(),
  strength: z.number().nullable(),
  quality: Quality.nullable(),
  lastReadingAt: Timestamp.nullable(),
  reasons: z
    .array(Reason)
    .describe(
      `Every condition that holds, but of more than ${SIGNAL_REASONS_MAX} only the first rules; \`GET /v1/alerts?state=firing&signalId=…\` has all of those.`,
    ),
  reasonsTotal: z
    .number()
    .int()
    .optional()
    .describe("In an event: how many conditions hold, where these are more than `reasons` has."),
  sequence: z.number().int().min(0),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Signal = z.infer<typeof Signal>;

export const SignalSort = z.enum(["name", "-name", "createdAt", "-createdAt"]);
export type SignalSort = z.infer<typeof SignalSort>;

/** What a source gives a signal that it creates. */
export const SignalDefaults = z
  .strictObject({
    threshold: Quality.default(DEFAULT_CREATED_THRESHOLD),
    noDataAfterSeconds: NoDataAfterSeconds.default(DEFAULT_NO_DATA_AFTER_SECONDS),
    labels: Labels.default({}),
    floorDbm: StrengthDbm.default(DEFAULT_FLOOR_DBM),
    ceilingDbm: StrengthDbm.default(DEFAULT_CEILING_DBM),
    hysteresis: Quality.default(DEFAULT_THRESHOLD_HYSTERESIS),
  })
  .refine(floorBelowCeiling, FLOOR_MESSAGE);
export type SignalDefaults = z.infer<typeof SignalDefaults>;

export const SignalTestRequest = z.strictObject({
  signalId: z.string().min(1).max(200),
  strength: StrengthDbm,
});
export type SignalTestRequest = z.infer<typeof SignalTestRequest>;

/** What one condition would do with the tested strength. */
export const ConditionVerdict = z.strictObject({
  kind: z.enum(["threshold", "rule", "noData"]),
  ruleId: RuleId.optional(),
  ruleName: z.string().optional(),
  outcome: z.enum(["ok", "pending", "fails", "fires"]),
  limit: z.number().nullable(),
  explanation: z.string(),
});
export const Verdict = z.strictObject({
  /** False when no signal of that id is known: then the defaults were tried. */
  known: z.boolean(),
  status: z.enum(["active", "failed", "paused"]),
  conditions: z.array(ConditionVerdict),
});
export type Verdict = z.infer<typeof Verdict>;

export const SignalTestAnswer = z.strictObject({
  status: z.literal("connected"),
  /** Milliseconds that a probe took through the log and the evaluator and back. */
  latency: z.number().min(0),
  signalId: z.string(),
  quality: Quality,
  verdict: Verdict,
});
export type SignalTestAnswer = z.infer<typeof SignalTestAnswer>;

/** `label=k:v`, split at the first colon. */
const LabelPair = z.string().regex(/^[^:]+:/, "must be like key:value");

export const SignalsQuery = z.strictObject({
  ...ListQuery.shape,
  id: repeatable(SignalId).optional().describe("Only these: such as those that a page of alerts names."),
  status: SignalStatus.optional(),
  label: repeatable(LabelPair).optional(),
  sourceId: SourceId.optional().describe("Only those that this source has made."),
  q: z.string().min(1).max(200).optional(),
  sort: SignalSort.default("-createdAt"),
});
export type SignalsQuery = z.infer<typeof SignalsQuery>;

export const SignalsAnswer = z.strictObject({ signals: z.array(Signal), nextCursor: z.string().nullable() });
export const SignalsCreated = z.strictObject({ signals: z.array(Signal) });
