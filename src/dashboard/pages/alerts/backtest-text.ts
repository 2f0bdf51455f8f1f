import type { Backtest } from "../../api/types.ts";
import { numberText } from "../../app/words.ts";
import type { Span } from "../../chart/range.ts";
import { spanText } from "./words.ts";

/** What came of a rule on the past, and how far back that was. */
export type Tried = Backtest & { readonly span: Span };

const lengthMs = ({ from, to }: Backtest["firings"][number], endMs: number): number =>
  (to === null ? endMs : Date.parse(to)) - Date.parse(from);

/** Of many firings only the first are told, and a longer one may be among the others. */
const longestText = ({ summary, firings, to }: Tried): string => {
  const longest = Math.max(0, ...firings.map((firing) => lengthMs(firing, Date.parse(to))));
  return `longest ${firings.length < summary.firings ? "at least " : ""}${spanText(longest)}`;
};

/** `7d: 4 firings on 2 of 10 signals, longest 12 min, 1 flapping`. */
export const backtestText = (tried: Tried): string => {
  const { firings: count, signals, selected, flapping } = tried.summary;
  if (selected === 0) return "There is no signal to try it on yet.";
  const parts = [
    `${numberText(count)} ${count === 1 ? "firing" : "firings"} on ${numberText(signals)} of ${numberText(selected)} ${selected === 1 ? "signal" : "signals"}`,
    ...(count === 0 ? [] : [longestText(tried)]),
    ...(flapping.length === 0 ? [] : [`${flapping.length} flapping`]),
  ];
  return `${tried.span}: ${parts.join(", ")}`;
};
