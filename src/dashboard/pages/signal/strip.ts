import type { Event, Signal } from "../../api/types.ts";
import type { Range } from "../../chart/range.ts";

export type Status = Signal["status"];

/** What is needed of an event: when it was, and how the signal was after and before it. */
export interface StatusEvent {
  readonly atMs: number;
  readonly status: Status;
  /** Null: there was no signal yet. */
  readonly before: Status | null;
}
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  /** Null: nothing says it. */
  readonly status: Status | null;
}
export type Span = Pick<Range, "fromMs" | "toMs">;

/** Those that come after the signal has changed; an alert's are told in between. */
export const STATUS_KINDS = ["signal.created", "signal.updated", "signal.failed"] as const;
export const tellsStatus = ({ event }: Pick<Event, "event">): boolean =>
  STATUS_KINDS.some((kind) => kind === event);

const beforeOf = ({ event, data: { previous, repeatOf } }: Event, status: Status): Status | null => {
  if (event === "signal.created") return null;
  // A failure is told without what was before it, and one that goes on may be told once more.
  if (event === "signal.failed") return repeatOf === undefined ? "active" : status;
  return previous?.status ?? status;
};

export const statusEvents = (events: readonly Event[]): StatusEvent[] =>
  events.filter(tellsStatus).flatMap((event) => {
    const status = event.data.signal?.status;
    if (status === undefined) return [];
    return [{ atMs: Date.parse(event.createdAt), status, before: beforeOf(event, status) }];
  });

/** Of a time of which every event is known. */
const knownStrip = (
  events: readonly StatusEvent[],
  { fromMs, toMs }: Span,
  ending: Status | null,
): Stretch[] => {
  const stretches: Stretch[] = [];
  const [first] = events;
  let status = first === undefined ? ending : first.before;
  let since = fromMs;
  for (const event of events) {
    if (event.status === status) continue;
    const until = Math.min(event.atMs, toMs);
    if (until > since) stretches.push({ fromMs: since, toMs: until, status });
    status = event.status;
    since = Math.max(since, until);
  }
  if (toMs > since) stretches.push({ fromMs: since, toMs, status });
  return stretches;
};

interface Told {
  /** Oldest first; the newest before the range may be among them. */
  readonly events: readonly StatusEvent[];
  /** Of which time there are events that were not read; null: of none. */
  readonly unread: Span | null;
  /** How the signal was at the end, for where no event says it. */
  readonly ending: Status | null;
}

/** How a signal was, stretch by stretch. */
export const stripOf = ({ events, unread, ending }: Told, { fromMs, toMs }: Span): Stretch[] => {
  if (unread === null) return knownStrip(events, { fromMs, toMs }, ending);
  const gap = { fromMs: Math.max(fromMs, unread.fromMs), toMs: Math.min(toMs, unread.toMs) };
  const older = events.filter(({ atMs }) => atMs < unread.toMs);
  const newer = events.filter(({ atMs }) => atMs >= unread.toMs);
  return [
    ...knownStrip(older, { fromMs, toMs: Math.min(toMs, unread.fromMs) }, null),
    ...(gap.fromMs < gap.toMs ? [{ ...gap, status: null }] : []),
    ...knownStrip(newer, { fromMs: Math.max(fromMs, unread.toMs), toMs }, ending),
  ];
};
