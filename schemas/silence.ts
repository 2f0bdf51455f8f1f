import { z } from "zod";
import { RuleId, SilenceId, Timestamp, TimestampInput } from "./common.ts";
import { Selection, Warning } from "./rule.ts";
import { Schedule } from "./schedule.ts";

const settings = {
  select: Selection.describe("The signals that are silenced; nothing named means all."),
  ruleIds: z
    .array(RuleId)
    .min(1)
    .max(100)
    .nullable()
    .describe("Only alerts of these rules. Default: all of them, and the signals' own failures too."),
  from: TimestampInput,
  until: TimestampInput.nullable().describe("Null: until the alerts resolve, or, of a schedule, for ever."),
  untilResolved: z
    .boolean()
    .describe(
      "Silences what fires when it is made, each alert until it resolves; a new one is heard, also once the silence is changed.",
    ),
  schedule: Schedule.nullable().describe("Recurring: silent in its windows, between `from` and `until`."),
  reason: z.string().trim().min(1).max(500),
};

type Times = Pick<z.infer<typeof SilenceTimes>, "from" | "until" | "untilResolved" | "schedule">;
const SilenceTimes = z.object({
  from: z.string(),
  until: z.string().nullable(),
  untilResolved: z.boolean(),
  schedule: Schedule.nullable(),
});

/** What is wrong with a silence as a whole, once a patch is merged with what is stored. */
export const silenceProblems = ({ from, until, untilResolved, schedule }: Times) => {
  const problems: { path: string; message: string }[] = [];
  if (until !== null && Date.parse(until) <= Date.parse(from))
    problems.push({ path: "until", message: "must be after from" });
  if (untilResolved && until !== null)
    problems.push({
      path: "until",
      message: "stands beside untilResolved: one of the two says when it ends",
    });
  if (untilResolved && schedule !== null)
    problems.push({ path: "schedule", message: "stands beside untilResolved, which does not recur" });
  if (!untilResolved && until === null && schedule === null)
    problems.push({ path: "until", message: "is needed, or untilResolved, or a schedule" });
  return problems;
};

/** What is wrong with one that is to be made now. */
export const newSilenceProblems = (times: Times, nowMs: number) => {
  const { from, until, untilResolved } = times;
  // First: whoever says no `from` has said nothing that it could be compared with.
  if (until !== null && Date.parse(until) <= nowMs)
    return [{ path: "until", message: "has passed: nothing would be silenced" }];
  const problems = silenceProblems(times);
  if (problems.length > 0) return problems;
  if (untilResolved && Date.parse(from) > nowMs)
    problems.push({ path: "from", message: "is to come: with untilResolved it silences what fires now" });
  return problems;
};

/** A silence as a request may write it; `from` defaults to now, which the handler fills in. */
export const SilenceCreate = z.strictObject({
  select: settings.select.default({}),
  ruleIds: settings.ruleIds.default(null),
  from: settings.from.optional().describe("Default: now."),
  until: settings.until.default(null),
  untilResolved: settings.untilResolved.default(false),
  schedule: settings.schedule.default(null),
  reason: settings.reason,
});
export type SilenceCreate = z.infer<typeof SilenceCreate>;

/** Checked against the stored silence once the two are merged. */
export const SilencePatch = z
  .strictObject(settings)
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, "names no field to change");
export type SilencePatch = z.infer<typeof SilencePatch>;

/** What the evaluator knows of a silence. */
export const SilenceDefinition = z.strictObject({
  id: SilenceId,
  ...settings,
  from: Timestamp,
  until: Timestamp.nullable(),
});
export type SilenceDefinition = z.infer<typeof SilenceDefinition>;

export const SilenceState = z.enum(["pending", "active", "expired"]);
export type SilenceState = z.infer<typeof SilenceState>;

export const Silence = SilenceDefinition.extend({
  state: SilenceState.describe(
    "Pending before `from`, expired after `until` or once nothing it silenced fires any more; a recurring one is active between its windows too.",
  ),
  createdBy: z.string().describe("The id of the API key that made it."),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Silence = z.infer<typeof Silence>;

export const SilenceAnswer = Silence.extend({
  warnings: z.array(Warning).describe("Of what was just written: allowed, but likely not meant."),
});
export type SilenceAnswer = z.infer<typeof SilenceAnswer>;

export const SilencesAnswer = z.strictObject({
  silences: z.array(Silence),
  nextCursor: z.string().nullable(),
});
