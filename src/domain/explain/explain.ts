import type { SignalDefinition } from "../../../schemas/change.ts";
import type { ExplainAnswer, ExplainStep } from "../../../schemas/explain.ts";
import type { Rule } from "../../../schemas/rule.ts";
import type { CompiledRule } from "../evaluation/compiled-rule.ts";
import type { Slices } from "../evaluation/pace.ts";
import type { CompiledSilence } from "../evaluation/silence-book.ts";
import { fact, limitFacts, ruleFor, scheduleFacts, silenceFacts } from "./facts.ts";
import { mismatches, selectionText } from "./selection.ts";
import { Story, type StoryReading } from "./story.ts";
import { summaryOf } from "./summary.ts";
import { listed, shownTime } from "./words.ts";

/** What there is to explain: a rule on a signal at a moment, the signal as it is now. */
export interface Question {
  /** As it was at the moment, as far as that is kept. */
  readonly rule: Rule;
  /** When it became what it is now, if it was another then. */
  readonly ruleChangedAt: string | null;
  readonly signal: SignalDefinition;
  readonly atMs: number;
  /** The moment is not now: what is said of it may be over. */
  readonly isPast: boolean;
  /** Up to the moment, oldest first. */
  readonly readings: readonly StoryReading[];
  /** There are older ones. */
  readonly isCut: boolean;
  /** Of an alert that began before these and has fired ever since: those up to its beginning. What is between is left out. */
  readonly begun: readonly StoryReading[];
  /** All of the account. */
  readonly silences: readonly CompiledSilence[];
}

export type Explained = Pick<ExplainAnswer, "outcome" | "summary" | "steps" | "readings">;

const noLimit = ({ condition: { valueFrom, upperFrom } }: Rule): string => {
  const labels = [valueFrom, upperFrom].flatMap((from) => (from === undefined ? [] : [from.label]));
  return `its limit is the signal's own label ${labels.join(" or ")}, which holds no number that it can use, and the rule has none itself`;
};

const changedSince = ({ rule, ruleChangedAt, signal, atMs }: Question): ExplainStep[] => {
  const text = (what: string, at: string, as: string) =>
    `The ${what} was made or changed at ${at}, after this moment: it is explained as it ${as}.`;
  const became = ruleChangedAt === null ? "is now" : "became then";
  return [
    ...(Date.parse(rule.updatedAt) > atMs ? [fact("rule", text("rule", rule.updatedAt, became))] : []),
    ...(ruleChangedAt === null
      ? []
      : [
          fact(
            "rule",
            `The rule has been changed since, last at ${ruleChangedAt}: as it was before is told here.`,
          ),
        ]),
    ...(signal.updatedAt > atMs
      ? [fact("signal", text("signal", shownTime(signal.updatedAt), "is now"))]
      : []),
  ];
};

/** Why the rule does not look at the signal at all; null: it does. */
const hindrance = (question: Question, compiled: CompiledRule | null): Explained | null => {
  const { rule, signal } = question;
  const said = (outcome: Explained["outcome"], step: ExplainStep): Explained => ({
    outcome,
    summary: step.text,
    steps: [...changedSince(question), step],
    readings: [],
  });
  if (!rule.enabled) return said("disabled", fact("rule", "The rule is disabled: it looks at no signal."));
  if (compiled === null) {
    const why = mismatches(rule, signal);
    const because = why.length === 0 ? noLimit(rule) : listed(why);
    return said("notSelected", fact("selection", `The rule does not look at the signal: ${because}.`));
  }
  if (!signal.paused) return null;
  const text = "The signal is paused: its readings are stored, and no rule looks at them.";
  return said("paused", fact("signal", text));
};

const cutText = ({ readings, isCut, begun }: Question): string => {
  const [from, began] = [shownTime(readings[0]?.atMs ?? 0), begun.at(-1)];
  if (began !== undefined) {
    const since = shownTime(began.atMs);
    return ` The alert that fires now began at ${since}, and went on: those after ${since} and before ${from} are left out.`;
  }
  return isCut ? ` They are looked at from ${from} on; what was before is not known here.` : "";
};

const readingsFact = (question: Question, story: Story): ExplainStep => {
  const { readings, isCut } = question;
  const last = readings.at(-1)?.atMs ?? 0;
  const span =
    readings.length === 1
      ? `There is one reading, of ${shownTime(last)}.`
      : `There are ${isCut ? "more than " : ""}${readings.length} readings up to ${shownTime(last)}.`;
  const earlier = story.earlier === 0 ? "" : ` ${story.earlier} earlier steps are left out.`;
  return fact("readings", `${span}${cutText(question)}${earlier}`);
};

const OUTCOMES = { idle: "idle", pending: "pending", firing: "firing", clearing: "firing" } as const;
/** Readings between two rests: some milliseconds at the most. */
const SLICE = 100;

/** Why a rule fires on a signal at a moment, or does not. In slices of some milliseconds. */
export function* explaining(question: Question): Slices<Explained> {
  const { rule, signal, atMs, isPast } = question;
  const compiled = ruleFor(rule, signal);
  const hindered = hindrance(question, compiled);
  if (hindered !== null || compiled === null) return hindered ?? never();
  const begin = [
    ...changedSince(question),
    fact("selection", selectionText(rule)),
    ...limitFacts(compiled, signal),
    ...scheduleFacts(compiled, atMs),
  ];
  const silence = silenceFacts(question);
  if (question.readings.length === 0) {
    const text = `No reading of the signal is stored up to ${shownTime(atMs)}: there was nothing to compare.`;
    const steps = [...begin, fact("readings", text), ...silence];
    return { outcome: "noReadings", summary: text, steps, readings: [] };
  }
  const story = new Story(rule, signal);
  const readings = [...question.begun, ...question.readings];
  for (const [i, reading] of readings.entries()) {
    story.read(reading, readings.length - 1 - i);
    if (i % SLICE === SLICE - 1) yield;
  }
  story.passTo(atMs + 1);
  return {
    outcome: OUTCOMES[story.phase.name],
    summary: [summaryOf(story, atMs, isPast), ...silence.map(({ text }) => text)].join(" "),
    steps: [...begin, readingsFact(question, story), ...story.steps, ...silence],
    readings: story.readings,
  };
}

const never = (): never => {
  throw new Error("a rule that does not look at a signal has a reason");
};

/** All at once. */
export const explain = (question: Question): Explained => {
  const slices = explaining(question);
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
  }
};
