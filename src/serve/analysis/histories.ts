import type { AccountId, SignalId } from "../../../schemas/common.ts";
import type { SignalEventKind, SignalServiceEvent } from "../../../schemas/event.ts";
import type { StatusChange, StatusHistory } from "../../domain/analysis/failures.ts";
import type { StoredSignal } from "../../ports/control-store.ts";
import type { EventFeed } from "../event-feed.ts";
import type { EventFilter } from "../event-filter.ts";
import type { FeedEntry } from "../event-ring.ts";
import type { Span } from "./asked.ts";

const KINDS: readonly SignalEventKind[] = ["signal.created", "signal.updated", "signal.failed"];
const PAGE = 1_000;
/** Events of one analysis; what failed later than these is not counted. */
const EVENTS_MAX = 100_000;

interface Witness {
  readonly signalId: SignalId | null;
  readonly atMs: number;
  readonly failedBefore: boolean;
  readonly failed: boolean;
}

/** What an event tells of the time before it and after it. */
const witnessOf = ({ signalId, createdAtMs: atMs, text }: FeedEntry): Witness => {
  const { event, data }: SignalServiceEvent = JSON.parse(text);
  const failed = data.signal?.status === "failed";
  const before = data.previous?.status;
  const failedBefore = event === "signal.updated" && (before === undefined ? failed : before === "failed");
  return { signalId, atMs, failedBefore, failed: event === "signal.failed" || failed };
};

const witnesses = async (feed: EventFeed, filter: EventFilter): Promise<Witness[]> => {
  const found: Witness[] = [];
  for (let after = -1; found.length < EVENTS_MAX; ) {
    const { entries, through } = await feed.read(after, PAGE, filter);
    found.push(...entries.map(witnessOf));
    if (entries.length < PAGE) break;
    after = through;
  }
  return found;
};

/** The clocks of two machines may put an event a little outside of what is known. */
const changesOf = (seen: readonly Witness[], { fromMs, toMs }: Span): StatusChange[] =>
  seen
    .filter(({ failedBefore, failed }) => failedBefore !== failed)
    .map(({ atMs, failed }) => ({ atMs: Math.min(Math.max(atMs, fromMs), toMs), failed }));

/**
 * When each signal was failed within the span, as far as it was there and that is past: by its events, and where it
 * has none in the span by the next one after it, or by what it is now.
 */
export const statusHistories = async (
  feed: EventFeed,
  accountId: AccountId,
  signals: readonly StoredSignal[],
  span: Span,
  nowMs: number,
): Promise<(signal: StoredSignal) => StatusHistory> => {
  const filter = { accountId, kinds: KINDS };
  const ids = signals.map(({ definition }) => definition.id);
  const all = await witnesses(feed, { ...filter, ...span, signalIds: ids });
  const bySignal = Map.groupBy(all, ({ signalId }) => signalId);
  const next = new Map<SignalId, Witness>();
  for (const id of span.toMs < nowMs ? ids : []) {
    if (bySignal.has(id)) continue;
    const { entries } = await feed.read(-1, 1, { ...filter, signalIds: [id], fromMs: span.toMs });
    for (const entry of entries) next.set(id, witnessOf(entry));
  }
  return ({ definition: { id, createdAt }, status }) => {
    const seen = bySignal.get(id) ?? [];
    const known = { fromMs: Math.max(span.fromMs, createdAt), toMs: Math.min(span.toMs, nowMs) };
    return {
      ...known,
      failedBefore: (seen[0] ?? next.get(id))?.failedBefore ?? status === "failed",
      changes: changesOf(seen, known),
    };
  };
};
