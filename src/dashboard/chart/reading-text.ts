import { dbmText, timeText } from "../app/words.ts";
import type { History } from "./history.ts";

/** What a history has at one of its rows, in words: when, how strong, and of a step from where to where. */
export const readingText = ({ seconds, mean, min, max }: History, row: number): string => {
  const second = seconds[row];
  if (second === undefined) return "";
  const [value = null, least = null, greatest = null] = [mean[row], min[row], max[row]];
  const spread = least === greatest ? "" : ` (${dbmText(least)} to ${dbmText(greatest)})`;
  return `${timeText(second * 1_000)}: ${value === null ? "no readings" : dbmText(value) + spread}`;
};
