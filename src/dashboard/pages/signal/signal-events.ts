import { api } from "../../api/client.ts";
import type { Event } from "../../api/types.ts";
import { atMs, type EventsRead, readEvents, readOn } from "./newest-events.ts";
import { type Span, STATUS_KINDS, type StatusEvent, statusEvents, tellsStatus } from "./strip.ts";

const PAGE = 500;

/** What happened to a signal in a time, and what tells how it was at its end. */
export interface SignalEvents extends EventsRead<Event> {
  /** The first change after it; null: there is none, and the signal is as it was. Asked for where no change within it tells. */
  readonly next: StatusEvent | null;
}

const iso = (ms: number): string => new Date(ms).toISOString();

const pageOf = async (id: string, { fromMs, toMs }: Span, after?: string) => {
  const { events, nextCursor } = await api.get("/v1/events", {
    params: {
      query: {
        signalId: [id],
        from: iso(fromMs),
        to: iso(toMs),
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      },
    },
  });
  return { events, hasMore: nextCursor !== null };
};

const nextChange = async (id: string, fromMs: number): Promise<StatusEvent | null> => {
  const { events } = await api.get("/v1/events", {
    params: { query: { signalId: [id], event: [...STATUS_KINDS], from: iso(fromMs), limit: 1 } },
  });
  return statusEvents(events)[0] ?? null;
};

/** Only what has come since; null: it cannot be told, or is a lot. */
const newerThan = async (id: string, before: EventsRead<Event>, span: Span) => {
  const last = before.events.at(-1);
  if (last === undefined) return null;
  // What was read last may be kept no longer.
  const page = await pageOf(id, span, last.id).catch(() => null);
  return page === null || page.hasMore ? null : readOn(before, page.events, span.fromMs, tellsStatus);
};

/** `before`: what was read of the same time before, if anything. */
export const fetchSignalEvents = async (
  id: string,
  span: Span,
  isLive: boolean,
  before: EventsRead<Event> | undefined,
): Promise<SignalEvents> => {
  const newer = before === undefined ? null : await newerThan(id, before, span);
  const { events, unread } = newer ?? (await readEvents((one) => pageOf(id, one), span));
  const isTold = events.some((event) => tellsStatus(event) && atMs(event) >= (unread?.toMs ?? 0));
  return { events, unread, next: isTold || isLive ? null : await nextChange(id, span.toMs) };
};
