import type { AccountId, EventId } from "../../schemas/common.ts";
import type { LogRecord } from "../domain/log-record.ts";
import type { AddressedEvent } from "../domain/records.ts";
import type { ControlStore } from "../ports/control-store.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { EventRow, EventsQuery, TimeSeries } from "../ports/time-series.ts";
import type { Health } from "../ports/worker.ts";
import { type EventFilter, matcher } from "./event-filter.ts";
import { EventRing, type FeedEntry, type RingRead } from "./event-ring.ts";
import { firstSights } from "./first-sights.ts";
import { createPositionWaiting } from "./position-waiting.ts";
import { ProblemError } from "./problem.ts";
import type { ServeLimits } from "./settings.ts";
import { startTail } from "./tail.ts";

const STORED_POLL_MS = 200;
const CATCH_UP_MS = 5_000;

export interface EventFeed {
  /** The position that the next event will have, or a greater one. */
  readonly end: number;
  /** What memory holds after a position, or null when older events are asked for: then `read` it. */
  readNow(after: number, limit: number, matches: (entry: FeedEntry) => boolean): RingRead | null;
  /** Up to `limit` events after a position, oldest first, none missing and none twice. -1: from the first one. */
  read(after: number, limit: number, filter: EventFilter): Promise<RingRead>;
  /**
   * Where an event stands; null if the account has none of that id. One that another process, or this one before it was
   * restarted, has shown already is waited for; `pipeline_unavailable` when that takes too long.
   */
  positionOf(accountId: AccountId, id: EventId): Promise<number | null>;
  /** From now on: a position, and the account's newest event there or before it; null: it has none. */
  now(accountId: AccountId): Promise<{ readonly after: number; readonly lastId: EventId | null }>;
  /** Calls the listener with new events at once, in order; the function returned ends that. */
  listen(listener: (events: readonly AddressedEvent[]) => void): () => void;
  health(): Health[];
  stop(): Promise<void>;
}

interface FeedOptions extends Surroundings {
  readonly log: EventLog;
  readonly control: ControlStore;
  readonly timeSeries: TimeSeries;
  readonly limits: Pick<ServeLimits, "ringEvents" | "ringBytes">;
}

const entryOf = ({ position, accountId, signalId, event }: EventRow): FeedEntry => ({
  position,
  id: event.id,
  accountId,
  signalId,
  kind: event.event,
  createdAtMs: Date.parse(event.createdAt),
  text: JSON.stringify(event),
});

const storedQuery = (filter: EventFilter, after: number, upTo: number, limit: number): EventsQuery => ({
  accountId: filter.accountId,
  upTo,
  limit,
  ...(after < 0 ? {} : { after }),
  ...(filter.signalIds === undefined ? {} : { signalIds: filter.signalIds }),
  ...(filter.kinds === undefined ? {} : { kinds: filter.kinds }),
  ...(filter.fromMs === undefined ? {} : { fromMs: filter.fromMs }),
  ...(filter.toMs === undefined ? {} : { toMs: filter.toMs }),
});

/**
 * Events in their one order: what is stored up to the ring's start, then the ring, then what is appended. The tail
 * begins at what the record worker has done, so that time series and ring together never have a gap.
 */
export const startEventFeed = async (options: FeedOptions): Promise<EventFeed> => {
  const { log, control, timeSeries, clock, entropy, telemetry, limits } = options;
  const stored = async () => (await control.recordProgress.read(log.logId, "events", 0)).done;
  const endOfLog = async () => (await log.bounds("events"))[0]?.end ?? 0;
  const [start, endAtStart] = await Promise.all([stored(), endOfLog()]);
  const [lastSequences, newest] = await Promise.all([
    timeSeries.lastSequences(start),
    timeSeries.newestEvents(start),
  ]);
  const ring = new EventRing({ events: limits.ringEvents, bytes: limits.ringBytes }, start, newest);
  const sights = firstSights(lastSequences, ring, telemetry);
  const listeners = new Set<(events: readonly AddressedEvent[]) => void>();
  const size = telemetry.metrics.gauge("event_ring_events", "Events kept in memory for readers.");
  const arrivals = createPositionWaiting(
    clock,
    telemetry.metrics.gauge(
      "event_feed_waiting",
      "Readers that resume after an event that is still to come here.",
    ),
  );
  arrivals.advance(start);
  let isWaiting = false;

  const makeRoom = async (signal: AbortSignal) => {
    while (ring.isOver && !signal.aborted) {
      ring.trim(await stored());
      isWaiting = ring.isOver;
      if (isWaiting) await clock.sleep(STORED_POLL_MS, signal).catch(() => undefined);
    }
  };
  /** While this tail waited for room, the log was trimmed: what is gone from it is stored, and read from there. */
  const skipTrimmed = async (first: number) => {
    for (const [signalId, sequence] of await timeSeries.lastSequences(first))
      lastSequences.set(signalId, sequence);
    ring.restart(first, await timeSeries.newestEvents(first));
  };
  const records = async (batch: readonly LogRecord[], signal: AbortSignal) => {
    const first = batch[0]?.offset ?? ring.end;
    if (first > ring.end) await skipTrimmed(first);
    const events = sights(batch);
    size.set(ring.size);
    arrivals.advance(ring.end);
    if (events.length > 0) for (const listener of listeners) listener(events);
    await makeRoom(signal);
  };
  const tail = startTail({ log, topic: "events", from: start, clock, entropy, telemetry, records });

  const read = async (after: number, limit: number, filter: EventFilter): Promise<RingRead> => {
    const matches = matcher(filter);
    const entries: FeedEntry[] = [];
    let through = after;
    // The ring may let go of more while the time series is asked: then that piece is asked for, too.
    while (through + 1 < ring.start) {
      const upTo = ring.start;
      const wanted = limit - entries.length;
      const rows = await timeSeries.events(storedQuery(filter, through, upTo, wanted));
      entries.push(...rows.map(entryOf));
      const last = rows.at(-1);
      if (last !== undefined && rows.length === wanted) return { entries, through: last.position };
      through = upTo - 1;
    }
    const now = ring.read(through, limit - entries.length, matches);
    return { entries: [...entries, ...now.entries], through: now.through };
  };

  const find = async (accountId: AccountId, id: EventId) =>
    ring.positionOf(accountId, id) ?? (await timeSeries.eventPosition(accountId, id));
  const positionOf = async (accountId: AccountId, id: EventId) => {
    const known = await find(accountId, id);
    if (known !== null) return known;
    const end = await endOfLog();
    if (!(await arrivals.wait(end, CATCH_UP_MS)))
      throw new ProblemError(
        "pipeline_unavailable",
        "this process has not read all events yet; try again soon",
      );
    return find(accountId, id);
  };
  // What was there before this process is not new, also while it is still being read.
  const endNow = () => Math.max(ring.end, endAtStart);

  return {
    get end() {
      return endNow();
    },
    now: async (accountId) => {
      const after = endNow() - 1;
      await arrivals.wait(after + 1, CATCH_UP_MS);
      return { after, lastId: ring.newest(accountId, after) };
    },
    readNow: (after, limit, matches) => (after + 1 < ring.start ? null : ring.read(after, limit, matches)),
    read,
    positionOf,
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    health: () => {
      const detail = "events wait until earlier ones are stored: look at the record worker and time series";
      return [
        tail.health(),
        { name: "serve event ring", state: isWaiting ? "degraded" : "ok", detail: isWaiting ? detail : null },
      ];
    },
    stop: async () => {
      arrivals.release();
      await tail.stop();
    },
  };
};
