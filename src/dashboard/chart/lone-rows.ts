import type { History } from "./history.ts";

/** Rows with nothing around them, which no line shows: of stretches no longer than `withinSeconds`, the first. */
export const loneRows = (
  { seconds, mean }: Pick<History, "seconds" | "mean">,
  withinSeconds = 0,
): number[] => {
  const rows: number[] = [];
  let first: number | null = null;
  mean.forEach((value, row) => {
    if (value === null) first = null;
    else first ??= row;
    const isLast = (mean[row + 1] ?? null) === null;
    if (first === null || !isLast) return;
    if ((seconds[row] ?? 0) - (seconds[first] ?? 0) <= withinSeconds) rows.push(first);
  });
  return rows;
};
