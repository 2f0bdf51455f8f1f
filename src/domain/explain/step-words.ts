import type { AlertData, ResolveReason } from "../../../schemas/alert.ts";
import type { ExplainStep } from "../../../schemas/explain.ts";
import type { Rule } from "../../../schemas/rule.ts";
import type { Phase } from "./phase.ts";
import { shownNumber, shownSeconds, shownTime } from "./words.ts";

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Why an alert ended, where no value did it. */
const REASONS: Readonly<Record<Exclude<ResolveReason, "recovered">, string>> = {
  schedule: "its schedule is closed",
  paused: "the signal was paused",
  ruleChanged: "the rule was changed",
  ruleDeleted: "the rule was deleted",
  signalDeleted: "the signal was deleted",
};

const beyond = (
  { condition: { operator, metric, overSeconds } }: Rule,
  { value, limit }: AlertData,
): string => {
  const unit = metric === "quality" ? "" : operator === "change" ? " dB" : " dBm";
  if (operator === "noData") return `no reading has come for ${shownNumber(value ?? limit)} s`;
  const figures = `${shownNumber(value ?? limit)}${unit} is beyond ${shownNumber(limit)}${unit}`;
  return operator === "change" ? `a change of ${figures} within ${overSeconds} s` : figures;
};

const firing = (rule: Rule, alert: AlertData): string => {
  const { severity, previousSeverity } = alert;
  if (previousSeverity !== undefined)
    return `It steps from ${previousSeverity} to ${severity}: ${beyond(rule, alert)}.`;
  const as = rule.levels === null ? "" : ` as ${severity}`;
  const waited = rule.forSeconds > 0 ? `, after ${shownNumber(rule.forSeconds)} s of waiting` : "";
  return `It fires${as}: ${beyond(rule, alert)}${waited}.`;
};

/** An alert that fires, steps or resolves at a moment. `cause`: the reading, or the time, that made it. */
export const alertStep = (rule: Rule, atMs: number, alert: AlertData, cause: string): ExplainStep => {
  const { state, value, limit, resolveReason = "recovered" } = alert;
  const at = shownTime(atMs);
  const figures = value === null ? { limit } : { value, limit };
  if (state === "firing") return { kind: "firing", at, ...figures, text: firing(rule, alert) };
  const why = resolveReason === "recovered" ? `${cause} ends it` : REASONS[resolveReason];
  return { kind: "ended", at, ...figures, text: `It resolves: ${why}.` };
};

/** What became of a rule from one look to the next, where no event tells it. */
export const phaseStep = (before: Phase, after: Phase, atMs: number, cause: string): ExplainStep | null => {
  const { name, sinceMs, untilMs } = after;
  if (name === before.name) return null;
  if (name === "pending" || name === "clearing") {
    const wait = shownSeconds(untilMs - sinceMs);
    const text =
      name === "pending"
        ? `It is pending: ${cause} is beyond the limit, and has to be for ${wait}.`
        : `${capital(cause)} is clear of the limit; it is kept firing for another ${wait}.`;
    return { kind: name, at: shownTime(sinceMs), until: shownTime(untilMs), text };
  }
  const at = shownTime(atMs);
  if (before.name === "clearing" && name === "firing")
    return { kind: "firing", at, text: `It goes on firing: ${cause} is not clear of the limit.` };
  if (before.name !== "pending" || name !== "idle") return null;
  const [held, needed] = [shownSeconds(atMs - before.sinceMs), shownSeconds(before.untilMs - before.sinceMs)];
  return { kind: "ended", at, text: `It does not fire: ${cause} ends the wait after ${held} of ${needed}.` };
};
