import type { Story } from "./story.ts";
import { shownSeconds, shownTime } from "./words.ts";

/** The answer in a sentence or two: how the rule stands at the moment, and what made it so. */
export const summaryOf = ({ phase, readings, steps }: Story, atMs: number): string => {
  const { name, sinceMs, untilMs } = phase;
  const newest = readings.at(-1);
  const compared = newest === undefined ? "" : ` The newest reading: ${newest.text}.`;
  if (name === "firing") return `It fires, since ${shownTime(sinceMs)}.${compared}`;
  if (name === "clearing")
    return `It fires still: readings are good since ${shownTime(sinceMs)}, and it resolves at ${shownTime(untilMs)} if they stay so.`;
  if (name === "pending") {
    const held = `${shownSeconds(atMs - sinceMs)} of ${shownSeconds(untilMs - sinceMs)}`;
    return `It does not fire yet: it is pending since ${shownTime(sinceMs)}, ${held}.${compared}`;
  }
  const ended = steps.at(-1);
  const before =
    ended === undefined
      ? " It has not been pending or firing in what is known."
      : ` Before, at ${ended.at}: ${ended.text}`;
  return `It does not fire.${compared}${before}`;
};
