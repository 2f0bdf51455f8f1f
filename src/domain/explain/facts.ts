import type { SignalDefinition } from "../../../schemas/change.ts";
import type { ExplainStep } from "../../../schemas/explain.ts";
import type { Rule } from "../../../schemas/rule.ts";
import { type CompiledLevel, type CompiledRule, RuleTemplate } from "../evaluation/compiled-rule.ts";
import { SilenceBook } from "../evaluation/silence-book.ts";
import type { Question } from "./explain.ts";
import { shownNumber, shownTime } from "./words.ts";

export const fact = (kind: ExplainStep["kind"], text: string): ExplainStep => ({ kind, at: null, text });

/** The rule as it looks at the signal; null: not at all. */
export const ruleFor = (rule: Rule, signal: SignalDefinition): CompiledRule | null =>
  new RuleTemplate(signal.accountId, 1, rule).for(signal);

const bounds = (
  { rule: { condition }, onQuality }: CompiledRule,
  { limits, value, upper }: CompiledLevel,
): string => {
  const { operator, overSeconds, direction = "either" } = condition;
  const unit = onQuality ? "" : operator === "change" ? " dB" : " dBm";
  const at = (limit: number): string => `${shownNumber(limit)}${unit}`;
  if (operator === "noData")
    return `after ${shownNumber(value)} s without a reading, and clears at the next one`;
  if (operator === "below") return `below ${at(value)}, and clears at ${at(limits.clearLow)}`;
  if (operator === "above") return `above ${at(value)}, and clears at ${at(limits.clearHigh)}`;
  if (operator === "outside")
    return `below ${at(value)} or above ${at(upper)}, and clears from ${at(limits.clearLow)} to ${at(limits.clearHigh)}`;
  const way = direction === "either" ? "change" : direction;
  return `at a ${way} of more than ${at(value)} within ${overSeconds} s, and clears at one of ${at(limits.clearHigh)} or less`;
};

const waits = ({ forSeconds, keepFiringForSeconds }: Rule): string[] => [
  ...(forSeconds > 0 ? [`It waits for ${shownNumber(forSeconds)} s before it fires.`] : []),
  ...(keepFiringForSeconds > 0
    ? [`It is kept firing for ${shownNumber(keepFiringForSeconds)} s after it has cleared.`]
    : []),
];

const origins = ({ condition: { valueFrom, upperFrom } }: Rule, signal: SignalDefinition): string[] =>
  [valueFrom, upperFrom].flatMap((from) => {
    const own = from && signal.labels[from.label];
    return own === undefined
      ? []
      : [`The signal's label ${from?.label}, ${own}, is where a limit is taken from.`];
  });

/** What readings are compared with, each level of the rule a step. */
export const limitFacts = (compiled: CompiledRule, signal: SignalDefinition): ExplainStep[] => {
  const { rule, levels, onQuality } = compiled;
  const metric = onQuality
    ? `Quality runs from ${shownNumber(signal.floorDbm)} dBm, which is 0, to ${shownNumber(signal.ceilingDbm)} dBm, which is 1. `
    : "";
  const more = [...waits(rule), ...origins(rule, signal)].map((text) => ` ${text}`).join("");
  return levels.map((level) => {
    const as = rule.levels === null ? "" : ` as ${level.severity}`;
    const text = `${metric}The rule fires${as} ${bounds(compiled, level)}.${more}`;
    return { ...fact("limits", text), limit: level.value };
  });
};

/** Whether the rule's schedule lets it look at the moment. */
export const scheduleFacts = ({ rule, schedule }: CompiledRule, atMs: number): ExplainStep[] => {
  if (schedule === null || rule.schedule === null) return [];
  const next = schedule.nextChange(atMs);
  const until = Number.isFinite(next) ? ` until ${shownTime(next)}` : "";
  const text = schedule.isOpen(atMs)
    ? `Its schedule (${rule.schedule.timeZone}) is open${until}.`
    : `Its schedule (${rule.schedule.timeZone}) is closed${until}: no reading of that time fires.`;
  return [fact("schedule", text)];
};

/** The silence that would keep an alert of that moment from being delivered, if there is one. */
export const silenceFacts = ({
  silences,
  signal,
  rule,
  atMs,
  isPast,
}: Pick<Question, "silences" | "signal" | "rule" | "atMs" | "isPast">): ExplainStep[] => {
  const book = new SilenceBook();
  for (const silence of silences) book.set(silence, atMs);
  const id = book.covering(signal, rule.id);
  const silence = silences.find((one) => one.silence.id === id)?.silence;
  if (silence === undefined) return [];
  const until = silence.until === null ? "" : ` until ${silence.until}`;
  const said = isPast
    ? `A silence covered it then${until}: an alert was kept`
    : `A silence covers it${until}: an alert is kept`;
  return [fact("silence", `${said}, and delivered to nobody (${silence.id}: ${silence.reason}).`)];
};
