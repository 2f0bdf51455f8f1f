import type { Slices } from "../../domain/evaluation/pace.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ReadingLinesQuery, TimeSeries } from "../../ports/time-series.ts";

/** What takes whole lines, in slices of some milliseconds. */
interface LineTaker {
  lines(block: Uint8Array): Slices;
}

export interface Bounds {
  readonly stop: AbortSignal;
  /** Asked between slices. */
  readonly isEnough: () => boolean;
}

/**
 * Streams readings into what takes them; others have their turn between two slices. False: it was enough before the end.
 * Ends with the reason of `stop`.
 */
export const streamLines = async (
  { timeSeries, clock }: { readonly timeSeries: TimeSeries; readonly clock: Clock },
  query: ReadingLinesQuery,
  taker: LineTaker,
  { stop, isEnough }: Bounds,
): Promise<boolean> => {
  for await (const piece of timeSeries.readingLines(query, stop)) {
    for (const _ of taker.lines(piece)) {
      await clock.sleep(0, stop);
      if (isEnough()) return false;
    }
    if (isEnough()) return false;
  }
  return true;
};
