import { z } from "zod";
import {
  AlertId,
  EventId,
  Labels,
  ListQuery,
  RuleId,
  repeatable,
  SignalId,
  SilenceId,
  Timestamp,
  TimestampInput,
} from "./common.ts";
import { Severity } from "./condition.ts";
import { Notify } from "./notify.ts";

/** Why an alert ended. */
export const ResolveReason = z.enum([
  "recovered",
  "schedule",
  "paused",
  "ruleChanged",
  "ruleDeleted",
  "signalDeleted",
]);
export type ResolveReason = z.infer<typeof ResolveReason>;

/** Who has taken an alert on. */
export const Acknowledgement = z.strictObject({
  at: Timestamp,
  by: z.string().describe("Who said so: the id of an API key, a person or a program."),
  note: z.string().nullable(),
});
export type Acknowledgement = z.infer<typeof Acknowledgement>;

/** A rule that changes too often on a signal: its events are held back until it is calm. */
export const Flapping = z.strictObject({
  state: z.enum(["began", "ended"]),
  changes: z
    .number()
    .int()
    .describe("How many times the alert fired, changed its severity or resolved meanwhile."),
  since: Timestamp.describe("The first of these changes."),
});
export type Flapping = z.infer<typeof Flapping>;

/** What decides who hears of an alert, besides its signal and the kind of the event. */
export const AlertTerms = z.strictObject({
  severity: Severity,
  notify: Notify.nullable().describe("Who hears of it; null: every webhook."),
  labels: Labels.describe("Of the signal."),
});
export type AlertTerms = z.infer<typeof AlertTerms>;
/** An alert whose signal or rule changes more often forgets to whom it was told first. */
export const TOLD_TERMS_MAX = 10;

/** One firing of a rule on a signal. `value` and `limit` are dBm, quality, dB of a change, or seconds of silence. */
export const AlertData = z.strictObject({
  id: AlertId,
  ruleId: RuleId,
  ruleName: z.string(),
  severity: Severity,
  state: z.enum(["firing", "resolved"]),
  firedAt: Timestamp,
  resolvedAt: Timestamp.nullable(),
  value: z.number().nullable(),
  limit: z.number(),
  resolveReason: ResolveReason.optional(),
  previousSeverity: Severity.optional().describe("The alert has stepped up or down from this one."),
  acknowledged: Acknowledgement.optional(),
  flapping: Flapping.optional(),
  repeatOf: EventId.optional().describe(
    "The event that was held back and is told now, as the alert goes on.",
  ),
  notify: Notify.optional().describe(
    "Who hears of it, if not every webhook. What webhooks are sent names no addresses of people.",
  ),
  toldAs: z
    .array(AlertTerms)
    .max(TOLD_TERMS_MAX)
    .optional()
    .describe(
      "Under which other severities, webhooks, addresses and labels it was told that it fires: whoever heard that hears this too.",
    ),
});
export type AlertData = z.infer<typeof AlertData>;

export const AlertState = z.enum(["pending", "firing", "resolved"]);
export type AlertState = z.infer<typeof AlertState>;

/** An alert as a thing: from the first bad reading until it resolves. */
export const Alert = z.strictObject({
  id: AlertId,
  ruleId: RuleId,
  ruleName: z.string(),
  signalId: SignalId,
  severity: Severity,
  state: AlertState,
  pendingSince: Timestamp.nullable().describe("Of one that is pending: the reading that began it arrived."),
  firedAt: Timestamp.nullable(),
  resolvedAt: Timestamp.nullable(),
  resolveReason: ResolveReason.nullable(),
  value: z.number().nullable(),
  limit: z.number(),
  acknowledged: Acknowledgement.nullable(),
  silencedBy: SilenceId.nullable().describe("Its newest event was not delivered because of this silence."),
  heldBy: z.literal("flapping").nullable(),
});
export type Alert = z.infer<typeof Alert>;

/** The newest first, by when their waiting began. `from` and `to`: when they fired. */
export const AlertsQuery = z.strictObject({
  ...ListQuery.shape,
  state: repeatable(AlertState).optional(),
  signalId: repeatable(SignalId).optional(),
  ruleId: repeatable(RuleId).optional(),
  severity: repeatable(Severity).optional(),
  from: TimestampInput.optional(),
  to: TimestampInput.optional(),
});
export type AlertsQuery = z.infer<typeof AlertsQuery>;

/** Pending alerts that a page may show. */
export const PENDING_ALERTS_MAX = 500;
export const AlertsAnswer = z.strictObject({
  alerts: z.array(Alert),
  truncated: z
    .boolean()
    .describe(`More than ${PENDING_ALERTS_MAX} alerts are pending: those behind the newest are left out.`),
  nextCursor: z.string().nullable(),
});

export const AcknowledgeRequest = z.strictObject({
  note: z.string().trim().max(500).nullable().default(null).describe("What the others should know."),
});
