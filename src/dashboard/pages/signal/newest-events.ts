import type { Span } from "./strip.ts";

/** What is looked at of an event. */
export interface Dated {
  readonly id: string;
  readonly createdAt: string;
}
export interface EventsPage<One extends Dated> {
  /** Oldest first, of `[fromMs, toMs)`. */
  readonly events: readonly One[];
  /** There are more of that time. */
  readonly hasMore: boolean;
}
export interface EventsRead<One extends Dated> {
  /** Oldest first. */
  readonly events: readonly One[];
  /** The time in their midst that was not read, Unix ms; null: there is none. */
  readonly unread: Span | null;
}

/** Of most signals these hold all events of a time. */
const PAGES_ON = 4;
const PAGES_BACK = 12;
/** By so much a time gets longer that is looked at after one that fitted in a page, and shorter after one that did not. */
const FACTOR = 4;

export const atMs = ({ createdAt }: Dated): number => Date.parse(createdAt);

const each = <One extends Dated>(events: readonly One[]): One[] => [
  ...new Map(events.map((event) => [event.id, event])).values(),
];

/**
 * The events of a time, which are given oldest first and a page at once: all of them, or, where they are very many, its
 * oldest and, from its end back, its newest.
 */
export const readEvents = async <One extends Dated>(
  page: (span: Span) => Promise<EventsPage<One>>,
  { fromMs, toMs }: Span,
): Promise<EventsRead<One>> => {
  const oldest: One[] = [];
  let readMs = fromMs;
  for (let n = 0; n < PAGES_ON; n++) {
    const { events, hasMore } = await page({ fromMs: readMs, toMs });
    oldest.push(...events);
    const last = events.at(-1);
    if (!hasMore || last === undefined) return { events: each(oldest), unread: null };
    readMs = atMs(last);
  }
  let newest: readonly One[] = [];
  let sinceMs = toMs;
  let lengthMs = (readMs - fromMs) / PAGES_ON / 2;
  for (let n = 0; n < PAGES_BACK && sinceMs > readMs; n++) {
    const beginMs = Math.max(readMs, Math.min(sinceMs - 1, Math.round(sinceMs - lengthMs)));
    const { events, hasMore } = await page({ fromMs: beginMs, toMs: sinceMs });
    lengthMs = hasMore ? lengthMs / FACTOR : lengthMs * FACTOR;
    if (hasMore) continue;
    newest = [...events, ...newest];
    sinceMs = beginMs;
  }
  return {
    events: each([...oldest, ...newest]),
    unread: sinceMs > readMs ? { fromMs: readMs, toMs: sinceMs } : null,
  };
};

/**
 * What was read, with what has come since. Of what is before the time now looked at, only the newest is kept that tells
 * how it began.
 */
export const readOn = <One extends Dated>(
  { events, unread }: EventsRead<One>,
  fresh: readonly One[],
  fromMs: number,
  tells: (event: One) => boolean,
): EventsRead<One> => {
  const all = each([...events, ...fresh]);
  const first = all.findLastIndex((event) => tells(event) && atMs(event) <= fromMs);
  return {
    events: all.slice(Math.max(0, first)),
    unread: unread !== null && unread.toMs > fromMs ? unread : null,
  };
};
