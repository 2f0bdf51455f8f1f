import type { SignalDefinition } from "../../../schemas/change.ts";
import type { ExplainAnswer, ExplainStep } from "../../../schemas/explain.ts";
import type { Rule } from "../../../schemas/rule.ts";
import { selector } from "../backtest/selection.ts";
import type { Slices } from "../evaluation/pace.ts";
import type { Phase } from "./phase.ts";
import { mismatches, selectionText } from "./selection.ts";
import { Story, type StoryReading } from "./story.ts";
import { listed, shownSeconds, shownTime } from "./words.ts";

/** What there is to explain: a rule on a signal at a moment, both as they are now. */
export interface Question {
  readonly rule: Rule;
  readonly signal: SignalDefinition;
  readonly atMs: number;
  /** Up to the moment, oldest first. */
  readonly readings: readonly StoryReading[];
  /** There are older ones. */
  readonly isCut: boolean;
}

export type Explained = Pick<ExplainAnswer, "outcome" | "summary" | "steps" | "readings">;

const fact = (kind: ExplainStep["kind"], text: string): ExplainStep => ({ kind, at: null, text });

/** Why the rule does not look at the signal at all; null: it does. */
const hindrance = ({ rule, signal }: Question): Explained | null => {
  const said = (outcome: Explained["outcome"], step: ExplainStep): Explained => ({
    outcome,
    summary: step.text,
    steps: [step],
    readings: [],
  });
  if (!rule.enabled) return said("disabled", fact("rule", "The rule is disabled: it looks at no signal."));
  if (!selector(signal.accountId, rule)(signal)) {
    const why = mismatches(rule, signal);
    const because = why.length === 0 ? "it has no limit for the signal" : listed(why);
    return said("notSelected", fact("selection", `The rule does not look at the signal: ${because}.`));
  }
  if (!signal.paused) return null;
  const text = "The signal is paused: its readings are stored, and no rule looks at them.";
  return said("paused", fact("signal", text));
};

const changedSince = ({ rule, signal, atMs }: Question): ExplainStep[] => [
  ...(Date.parse(rule.updatedAt) > atMs
    ? [
        fact(
          "rule",
          `The rule was made or changed at ${rule.updatedAt}, after this moment: it is explained as it is now.`,
        ),
      ]
    : []),
  ...(signal.updatedAt > atMs
    ? [
        fact(
          "signal",
          `The signal was made or changed at ${shownTime(signal.updatedAt)}, after this moment: it is explained as it is now.`,
        ),
      ]
    : []),
];

const readingsFact = ({ readings, isCut }: Question, story: Story): ExplainStep => {
  const [first, last] = [readings[0]?.atMs ?? 0, readings.at(-1)?.atMs ?? 0];
  const span =
    readings.length === 1
      ? `There is one reading, of ${shownTime(last)}.`
      : `There are ${isCut ? "more than " : ""}${readings.length} readings up to ${shownTime(last)}.`;
  const cut = isCut
    ? ` They are looked at from ${shownTime(first)} on; what was before is not known here.`
    : "";
  const earlier = story.earlier === 0 ? "" : ` ${story.earlier} earlier steps are left out.`;
  return fact("readings", `${span}${cut}${earlier}`);
};

const summaryOf = ({ atMs }: Question, { name, sinceMs, untilMs }: Phase, story: Story): string => {
  const newest = story.readings.at(-1);
  const compared = newest === undefined ? "" : ` The newest reading: ${newest.text}.`;
  if (name === "firing") return `It fires, since ${shownTime(sinceMs)}.${compared}`;
  if (name === "clearing")
    return `It fires still: readings are good since ${shownTime(sinceMs)}, and it resolves at ${shownTime(untilMs)} if they stay so.`;
  if (name === "pending") {
    const held = `${shownSeconds(atMs - sinceMs)} of ${shownSeconds(untilMs - sinceMs)}`;
    return `It does not fire yet: it is pending since ${shownTime(sinceMs)}, ${held}.${compared}`;
  }
  const ended = story.steps.at(-1);
  const before =
    ended === undefined
      ? " It has not been pending or firing in what is known."
      : ` Before, at ${ended.at}: ${ended.text}`;
  return `It does not fire.${compared}${before}`;
};

const OUTCOMES = { idle: "idle", pending: "pending", firing: "firing", clearing: "firing" } as const;

/** Readings between two rests: some milliseconds at the most. */
const SLICE = 100;

/** Why a rule fires on a signal at a moment, or does not. In slices of some milliseconds. */
export function* explaining(question: Question): Slices<Explained> {
  const hindered = hindrance(question);
  if (hindered !== null) return hindered;
  const { rule, signal, readings, atMs } = question;
  const begin = [...changedSince(question), fact("selection", selectionText(rule))];
  if (readings.length === 0) {
    const text = `No reading of the signal is stored up to ${shownTime(atMs)}: there was nothing to compare.`;
    return { outcome: "noReadings", summary: text, steps: [...begin, fact("readings", text)], readings: [] };
  }
  const story = new Story(rule, signal);
  for (const [i, reading] of readings.entries()) {
    story.read(reading, readings.length - 1 - i);
    if (i % SLICE === SLICE - 1) yield;
  }
  story.passTo(atMs + 1);
  return {
    outcome: OUTCOMES[story.phase.name],
    summary: summaryOf(question, story.phase, story),
    steps: [...begin, readingsFact(question, story), ...story.steps],
    readings: story.readings,
  };
}

/** All at once. */
export const explain = (question: Question): Explained => {
  const slices = explaining(question);
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
  }
};
