import type { Story } from "./story.ts";
import { shownSeconds, shownTime } from "./words.ts";

interface Told {
  readonly since: string;
  readonly until: string;
  /** How long it has waited by the moment, of how long it has to. */
  readonly held: string;
  /** What the newest reading came to, with a space before it. */
  readonly compared: string;
}

/** Of now. */
const NOW = {
  firing: ({ since, compared }: Told) => `It fires, since ${since}.${compared}`,
  clearing: ({ since, until }: Told) =>
    `It fires still: readings are good since ${since}, and it resolves at ${until} if they stay so.`,
  pending: ({ since, held, compared }: Told) =>
    `It does not fire yet: it is pending since ${since}, ${held}.${compared}`,
  idle: ({ compared }: Told) => `It does not fire.${compared}`,
};
/** Of a moment that has passed: it may be over, or go on. */
const THEN: typeof NOW = {
  firing: ({ since, compared }) => `It fired, from ${since} on.${compared}`,
  clearing: ({ since, until }) =>
    `It fired still: readings were good since ${since}, and it was to resolve at ${until} if they stayed so.`,
  pending: ({ since, held, compared }) =>
    `It did not fire yet: it was pending since ${since}, ${held}.${compared}`,
  idle: ({ compared }) => `It did not fire.${compared}`,
};

/** What was before a rule was idle. */
const beforeText = ({ steps }: Story, isPast: boolean): string => {
  const ended = steps.at(-1);
  if (ended !== undefined) return ` Before, at ${ended.at}: ${ended.text}`;
  return ` It ${isPast ? "had" : "has"} not been pending or firing in what is known.`;
};

/** The answer in a sentence or two: how the rule stands at the moment, and what made it so. */
export const summaryOf = (story: Story, atMs: number, isPast: boolean): string => {
  const { name, sinceMs, untilMs } = story.phase;
  const newest = story.readings.at(-1);
  const compared = newest === undefined ? "" : ` The newest reading${isPast ? " then" : ""}: ${newest.text}.`;
  const words = (isPast ? THEN : NOW)[name];
  if (name === "idle") return words({ since: "", until: "", held: "", compared }) + beforeText(story, isPast);
  const [since, until] = [shownTime(sinceMs), Number.isFinite(untilMs) ? shownTime(untilMs) : ""];
  const held = `${shownSeconds(atMs - sinceMs)} of ${shownSeconds(untilMs - sinceMs)}`;
  return words({ since, until, held, compared });
};
