import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { serverClock } from "../../api/server-clock.ts";
import { standsInTheWay } from "../../api/stands-in-the-way.ts";
import type { Event, Signal } from "../../api/types.ts";
import { live } from "../../app/live.ts";
import { timeText } from "../../app/words.ts";
import { type Range, type RangeAsked, rangeOf } from "../../chart/range.ts";
import { Problem } from "../../parts/problem.tsx";
import { StatusMark } from "../../parts/status.tsx";
import style from "./happened.module.css";
import { type StatusEvent, stripOf } from "./strip.ts";

const EVENTS_MAX = 500;
const LISTED = 30;
/** Live spans are asked for anew every few seconds. */
const EVERY_MS = 5_000;

const statusEvents = (events: readonly Event[]): StatusEvent[] =>
  events.flatMap(({ createdAt, data: { signal, previous } }) =>
    signal === undefined
      ? []
      : [{ atMs: Date.parse(createdAt), status: signal.status, before: previous?.status }],
  );

const textOf = ({ data: { alert, reasons, signal } }: Event): string => {
  if (alert !== undefined) return alert.ruleName;
  const kinds = (reasons ?? signal?.reasons ?? []).map(({ kind }) => kind);
  return kinds.join(", ");
};

interface HappenedProps {
  readonly signal: Signal;
  readonly asked: RangeAsked;
  readonly range: Range;
}

const countText = (count: number): string => {
  if (count === EVENTS_MAX) return `The first ${EVENTS_MAX} events`;
  return count === 1 ? "1 event" : `${count} events`;
};

/** How the signal was over the range, and what happened to it. */
export const Happened = ({ signal, asked, range }: HappenedProps) => {
  const { id, status } = signal;
  const { data, error, refetch } = useQuery({
    queryKey: ["events", id, asked],
    queryFn: () => {
      const { fromMs, toMs } = rangeOf(asked, serverClock.now());
      const span = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
      return api.get("/v1/events", { params: { query: { signalId: [id], ...span, limit: EVENTS_MAX } } });
    },
    placeholderData: keepPreviousData,
    refetchInterval: () => (range.isLive && !live.isPaused ? EVERY_MS : false),
    gcTime: 30_000,
  });
  const problem = standsInTheWay({ data, error });
  if (problem !== null) return <Problem error={problem} retry={() => void refetch()} />;
  const events = data?.events ?? [];
  const length = range.toMs - range.fromMs;
  return (
    <>
      <div className={style.strip} role="img" aria-label="Status over the time shown">
        {stripOf(statusEvents(events), range, status).map((stretch) => (
          <span
            key={stretch.fromMs}
            data-status={stretch.status}
            title={`${stretch.status} from ${timeText(stretch.fromMs)}`}
            style={{ flexGrow: (stretch.toMs - stretch.fromMs) / length }}
          />
        ))}
      </div>
      {events.length > 0 && (
        <details className={style.events}>
          <summary>{countText(events.length)} of this time</summary>
          <ol>
            {events
              .slice(-LISTED)
              .toReversed()
              .map((event) => (
                <li key={event.id}>
                  <time dateTime={event.createdAt}>{timeText(Date.parse(event.createdAt))}</time>{" "}
                  <code>{event.event}</code>{" "}
                  {event.data.signal !== undefined && <StatusMark status={event.data.signal.status} />}{" "}
                  {event.data.alert === undefined ? (
                    textOf(event)
                  ) : (
                    <Link to="/alerts/$id" params={{ id: event.data.alert.id }}>
                      <bdi>{textOf(event)}</bdi>
                    </Link>
                  )}
                </li>
              ))}
          </ol>
        </details>
      )}
    </>
  );
};
