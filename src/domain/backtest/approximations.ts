import type { Rule } from "../../../schemas/rule.ts";
import type { Findings } from "./findings.ts";

/** What is known about a backtest beside what it found. */
export interface Circumstances {
  readonly rule: Rule;
  /** Readings of the span that the rollups count and that are not there any more; 0: none for certain. */
  readonly expired: number;
  /** Of the signals that the rule looks at: all, those that are paused, those changed since the span began. */
  readonly selected: number;
  readonly paused: number;
  readonly changed: number;
  /** Null: every signal was read to its end; else why it was not. */
  readonly stopped: string | null;
}

const number = new Intl.NumberFormat("en-US");
const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number.format(count)} ${count === 1 ? one : many}`;

/** What may differ from what would have happened live, in plain words. */
export const approximations = (found: Findings, known: Circumstances): string[] => {
  const { rule, selected, paused, changed, expired, stopped } = known;
  const said = [
    stopped !== null && `${stopped}: the readings behind that were not tested.`,
    found.readings > 0 &&
      "Every reading is taken as if it had come at its own time: live, one that comes late is stored but not evaluated, and an alert that waits is told up to a second later.",
    rule.condition.operator === "noData" &&
      "Silence is counted from one stored reading to the next: live, the time in which the service or the source itself stood still does not count.",
    expired > 0 &&
      `At least ${counted(expired, "reading")} of the span ${expired === 1 ? "is" : "are"} not kept one by one any more, only in summary: they were not tested.`,
    found.begunBefore > 0 &&
      `${counted(found.begunBefore, "firing")} may have begun earlier: nothing is known of the time before the first reading of the span.`,
    found.sameTime > 0 &&
      `${counted(found.sameTime, "reading")} ${found.sameTime === 1 ? "has" : "have"} the time of another one of the signal: weaker ones were taken as the earlier ones.`,
    paused > 0 &&
      `${counted(paused, "signal is", "signals are")} paused, so that no rule looks at ${paused === 1 ? "it" : "them"}: tested as if not.`,
    changed > 0 &&
      `${changed} of ${counted(selected, "signal")} ${changed === 1 ? "was" : "were"} made or changed after the span began: tested with today's labels, floor and ceiling.`,
    found.refused > 0 && `${counted(found.refused, "reading")} could not be evaluated.`,
  ];
  return said.filter((sentence) => sentence !== false);
};
