import type { AccountId, SignalId } from "../../schemas/common.ts";
import type { EventKind } from "../../schemas/event.ts";
import type { FeedEntry } from "./event-ring.ts";

/** Which events a reader wants: of one account, and all that is named must match. Times are Unix ms, `[fromMs, toMs)`. */
export interface EventFilter {
  readonly accountId: AccountId;
  readonly signalIds?: readonly SignalId[] | undefined;
  readonly kinds?: readonly EventKind[] | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** The filter as a function, for entries in memory. */
export const matcher = (filter: EventFilter): ((entry: FeedEntry) => boolean) => {
  const signals = filter.signalIds && new Set<SignalId>(filter.signalIds);
  const kinds = filter.kinds && new Set<EventKind>(filter.kinds);
  const fromMs = filter.fromMs ?? Number.NEGATIVE_INFINITY;
  const toMs = filter.toMs ?? Number.POSITIVE_INFINITY;
  return (entry) =>
    entry.accountId === filter.accountId &&
    (signals === undefined || (entry.signalId !== null && signals.has(entry.signalId))) &&
    (kinds === undefined || kinds.has(entry.kind)) &&
    entry.createdAtMs >= fromMs &&
    entry.createdAtMs < toMs;
};
