import type { Signal } from "../../api/types.ts";
import type { Range } from "../../chart/range.ts";

export type Status = Signal["status"];

/** What is needed of an event: when it was, and how the signal was after and before it. */
export interface StatusEvent {
  readonly atMs: number;
  readonly status: Status;
  /** Undefined: it was the same before. */
  readonly before: Status | undefined;
}
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly status: Status;
}

/** How a signal was, stretch by stretch: from its events of a range, oldest first, and how it is now. */
export const stripOf = (events: readonly StatusEvent[], { fromMs, toMs }: Range, now: Status): Stretch[] => {
  const stretches: Stretch[] = [];
  const [first] = events;
  let status = first === undefined ? now : (first.before ?? first.status);
  let since = fromMs;
  for (const event of events) {
    if (event.status === status) continue;
    if (event.atMs > since) stretches.push({ fromMs: since, toMs: event.atMs, status });
    status = event.status;
    since = Math.max(since, event.atMs);
  }
  if (toMs > since) stretches.push({ fromMs: since, toMs, status });
  return stretches;
};
