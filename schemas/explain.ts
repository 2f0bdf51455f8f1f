import { z } from "zod";
import { Acknowledgement } from "./alert.ts";
import { AlertId, RuleId, SignalId, SilenceId, Timestamp, TimestampInput } from "./common.ts";
import { Severity } from "./condition.ts";
import { Rule } from "./rule.ts";

/** Readings that are gone through: the newest before the moment. */
export const EXPLAINED_READINGS_MAX = 5_000;

export const ExplainQuery = z.strictObject({
  signalId: SignalId,
  at: TimestampInput.optional().describe("Default: now, with what the evaluator itself says."),
});
export type ExplainQuery = z.infer<typeof ExplainQuery>;

/** How a rule stands on a signal. The first three are what its readings come to, the others why none counts. */
export const Standing = z.enum([
  "firing",
  "pending",
  "idle",
  "noReadings",
  "paused",
  "notSelected",
  "disabled",
]);
export type Standing = z.infer<typeof Standing>;

export const ExplainStep = z.strictObject({
  kind: z
    .enum([
      "rule",
      "selection",
      "signal",
      "readings",
      "limits",
      "schedule",
      "silence",
      "pending",
      "firing",
      "clearing",
      "ended",
      "stored",
      "live",
    ])
    .describe(
      "`rule`, `selection`, `signal`: what the rule looks at. `readings`: what is known. `limits`: what they are compared with. `schedule`, `silence`: what keeps it from looking, or from being heard. `pending`, `firing`, `clearing`, `ended`: what became of it, and when. `stored`: what events told of it then. `live`: what the evaluator says.",
    ),
  at: Timestamp.nullable().describe("When it happened; null for what holds all the time."),
  text: z.string(),
  value: z.number().optional().describe("What was compared: dBm, quality, or what else the rule looks at."),
  limit: z.number().optional(),
  until: Timestamp.optional().describe("When a wait is over, if nothing ends it before."),
});
export type ExplainStep = z.infer<typeof ExplainStep>;

/** A reading, and what the rule makes of it. */
export const ExplainedReading = z.strictObject({
  at: Timestamp,
  strength: z.number(),
  outcome: z
    .enum(["ok", "pending", "fires"])
    .describe("What it comes to for the rule: that it fires, waits, or neither."),
  text: z.string(),
});
export type ExplainedReading = z.infer<typeof ExplainedReading>;

/** What was told of the rule on the signal by a moment, as the events stored have it. */
export const StoredThen = z.strictObject({
  firing: z.boolean(),
  alertId: AlertId.nullable(),
  since: Timestamp.nullable().describe("Of the newest event by then; null: there was none."),
  severity: Severity.nullable(),
  acknowledged: Acknowledgement.nullable(),
  silencedBy: SilenceId.nullable().describe(
    "The newest event was delivered to nobody because of this silence.",
  ),
  heldBy: z.literal("flapping").nullable(),
  differs: z
    .boolean()
    .describe(
      "It fired then and does not by the stored readings, or the other way round; `steps` say why it may.",
    ),
});
export type StoredThen = z.infer<typeof StoredThen>;

export const ExplainAnswer = z.strictObject({
  ruleId: RuleId,
  signalId: SignalId,
  at: Timestamp,
  rule: Rule.describe(
    "As it was at `at`; where that is no longer kept, or it was made later, as it was first (`updatedAt` says since when).",
  ),
  outcome: Standing,
  summary: z.string().describe("The answer in a sentence or two."),
  steps: z.array(ExplainStep).describe("What led there, in order."),
  readings: z.array(ExplainedReading).describe("The newest ones up to `at`, oldest first."),
  stored: StoredThen.nullable().describe("Null where now is asked for: then `live` says it."),
  live: z
    .strictObject({
      firing: z.boolean(),
      alertId: AlertId.nullable(),
      since: Timestamp.nullable().describe("Of its newest event."),
    })
    .nullable()
    .describe(
      "By the newest event of the rule on the signal; null where another time than now is asked for.",
    ),
});
export type ExplainAnswer = z.infer<typeof ExplainAnswer>;
