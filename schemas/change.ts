import { z } from "zod";
import { Alert, PENDING_ALERTS_MAX } from "./alert.ts";
import {
  AccountId,
  AlertId,
  Labels,
  Quality,
  RuleId,
  SignalId,
  SilenceId,
  SourceId,
  StrengthDbm,
} from "./common.ts";
import { Severity } from "./condition.ts";
import { Rule } from "./rule.ts";
import { NoDataAfterSeconds } from "./signal.ts";
import { SilenceDefinition } from "./silence.ts";

/** Up to the end of the year 9999: RFC 3339 has four digits for a year. */
const Millis = z.number().int().min(0).max(253_402_300_799_999);
const Revision = z.number().int().min(1);

/** What control data says of a signal: everything but what its readings say. Times are Unix milliseconds. */
export const SignalDefinition = z.strictObject({
  id: SignalId,
  accountId: AccountId,
  revision: Revision,
  name: z.string(),
  externalId: z.string().nullable(),
  labels: Labels,
  threshold: Quality,
  floorDbm: StrengthDbm,
  ceilingDbm: StrengthDbm,
  hysteresis: Quality,
  noDataAfterSeconds: NoDataAfterSeconds,
  paused: z.boolean(),
  sourceId: SourceId.nullable(),
  createdAt: Millis,
  updatedAt: Millis,
});
export type SignalDefinition = z.infer<typeof SignalDefinition>;

/**
 * A record with header `kind=change` in topic `readings`: what control data changed, in the partitions it concerns
 * (a signal's or an alert's: its own; a rule's, a silence's or a source's: all). Idempotent by revision: an older or equal one is ignored.
 */
export const Change = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("signal"), signal: SignalDefinition }),
  z.strictObject({
    type: z.literal("signalDeleted"),
    signalId: SignalId,
    accountId: AccountId,
    revision: Revision,
  }),
  z.strictObject({ type: z.literal("rule"), accountId: AccountId, revision: Revision, rule: Rule }),
  z.strictObject({
    type: z.literal("ruleDeleted"),
    accountId: AccountId,
    revision: Revision,
    ruleId: RuleId,
  }),
  z.strictObject({
    type: z.literal("silence"),
    accountId: AccountId,
    revision: Revision,
    silence: SilenceDefinition,
  }),
  z.strictObject({
    type: z.literal("silenceDeleted"),
    accountId: AccountId,
    revision: Revision,
    silenceId: SilenceId,
  }),
  /** Somebody has taken an alert on; the first one counts. `at` is Unix milliseconds. */
  z.strictObject({
    type: z.literal("acknowledged"),
    accountId: AccountId,
    signalId: SignalId,
    alertId: AlertId,
    at: Millis,
    by: z.string(),
    note: z.string().nullable(),
  }),
  /** Ingest paused or resumed a source under back-pressure: the no-data clock of its signals stands still meanwhile. */
  z.strictObject({ type: z.literal("sourceFlow"), sourceId: SourceId, paused: z.boolean() }),
]);
export type Change = z.infer<typeof Change>;

/** A record with header `kind=probe` in topic `readings`, answered on topic `live` with `kind=probe-answer`. */
export const Probe = z.strictObject({
  probeId: z.string(),
  accountId: AccountId,
  signalId: z.string(),
  strength: StrengthDbm,
});
export type Probe = z.infer<typeof Probe>;

/**
 * A record with header `kind=pending` in topic `readings`, one for each partition: which alerts of the account wait there.
 * Null: of any. Answered on topic `live` with `kind=pending-answer`.
 */
export const PendingQuestion = z.strictObject({
  questionId: z.string(),
  accountId: AccountId,
  signalIds: z.array(SignalId).nullable(),
  ruleIds: z.array(RuleId).nullable(),
  severities: z.array(Severity).nullable(),
  /** Of which it is asked; not given: of any. */
  alertIds: z.array(AlertId).optional(),
});
export type PendingQuestion = z.infer<typeof PendingQuestion>;

/** The newest first, by id; `truncated`: there are more in the partition. */
export const PendingAnswer = z.strictObject({
  alerts: z.array(Alert).max(PENDING_ALERTS_MAX),
  truncated: z.boolean(),
});
export type PendingAnswer = z.infer<typeof PendingAnswer>;
