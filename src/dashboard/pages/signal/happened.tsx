import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { serverClock } from "../../api/server-clock.ts";
import { standsInTheWay } from "../../api/stands-in-the-way.ts";
import type { Event, Signal } from "../../api/types.ts";
import { useUnlessPaused } from "../../app/live.ts";
import { zone } from "../../app/preferences.ts";
import { useTold } from "../../app/told-value.ts";
import { numberText, timeText } from "../../app/words.ts";
import { type Range, type RangeAsked, rangeOf } from "../../chart/range.ts";
import { NotRenewed } from "../../parts/not-renewed.tsx";
import { Problem } from "../../parts/problem.tsx";
import { StatusMark } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { spanText } from "../alerts/words.ts";
import style from "./happened.module.css";
import { atMs } from "./newest-events.ts";
import { fetchSignalEvents, type SignalEvents } from "./signal-events.ts";
import { type Status, type Stretch, statusEvents, stripOf } from "./strip.ts";
import { stripText } from "./strip-text.ts";

const LISTED = 30;
/** Live spans are asked for anew every few seconds. */
const EVERY_MS = 5_000;

const textOf = ({ data: { alert, reasons, signal } }: Event): string => {
  if (alert !== undefined) return alert.ruleName;
  const kinds = (reasons ?? signal?.reasons ?? []).map(({ kind }) => kind);
  return kinds.join(", ");
};

const countText = (count: number, isWhole: boolean): string => {
  const events = count === 1 ? "1 event" : `${numberText(count)} events`;
  const newest = count > LISTED ? `; the newest ${LISTED}` : "";
  return `${isWhole ? "" : "More than "}${events} of this time${newest}`;
};

interface StripProps {
  /** Null: nothing can be said of this time yet. */
  readonly read: SignalEvents | null;
  readonly range: Range;
  readonly now: Status;
}

const stretchesOf = ({ next, unread, events }: SignalEvents, range: Range, now: Status): Stretch[] => {
  const told = { events: statusEvents(events), unread, ending: next === null ? now : next.before };
  // What is to come is not known.
  return stripOf(told, { fromMs: range.fromMs, toMs: Math.min(range.toMs, serverClock.now()) });
};

const Strip = ({ read, range, now }: StripProps) => {
  useTold(zone);
  const stretches = read === null ? [] : stretchesOf(read, range, now);
  const text = stripText(stretches);
  const length = range.toMs - range.fromMs;
  return (
    <>
      <div
        className={style.strip}
        role="img"
        aria-label={`Status over the time shown${text === "" ? "" : `: ${text}`}`}
      >
        {stretches.map(({ fromMs, toMs, status }) => (
          <span
            key={fromMs}
            data-status={status ?? undefined}
            title={`${status ?? "not known"} from ${timeText(fromMs)}, for ${spanText(toMs - fromMs)}`}
            style={{ flexGrow: (toMs - fromMs) / length }}
          />
        ))}
      </div>
      <p className={style.said} aria-hidden="true">
        {text}
      </p>
    </>
  );
};

interface HappenedProps {
  readonly signal: Signal;
  readonly asked: RangeAsked;
  readonly range: Range;
}

/** How the signal was over the range, and what happened to it. */
export const Happened = ({ signal, asked, range }: HappenedProps) => {
  const { id, status } = signal;
  const found = useQuery({
    queryKey: ["events", id, asked],
    queryFn: ({ client, queryKey }) => {
      const { isLive, ...span } = rangeOf(asked, serverClock.now());
      return fetchSignalEvents(id, span, isLive, client.getQueryData<SignalEvents>(queryKey));
    },
    placeholderData: keepPreviousData,
    enabled: useUnlessPaused(),
    refetchInterval: range.isLive && EVERY_MS,
    gcTime: 30_000,
  });
  const { data, isPlaceholderData } = found;
  const problem = standsInTheWay(found);
  if (problem !== null) return <Problem error={problem} retry={() => void found.refetch()} />;
  const events = (data?.events ?? []).filter((event) => atMs(event) >= range.fromMs);
  return (
    <>
      <NotRenewed of={found} />
      {/* Of another time, nothing can be said of this one. */}
      <Strip read={isPlaceholderData ? null : (data ?? null)} range={range} now={status} />
      {events.length > 0 && (
        <details className={style.events}>
          <summary>{countText(events.length, data?.unread === null)}</summary>
          <ol>
            {events
              .slice(-LISTED)
              .toReversed()
              .map((event) => (
                <li key={event.id}>
                  <Time at={atMs(event)} /> <code>{event.event}</code>{" "}
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
