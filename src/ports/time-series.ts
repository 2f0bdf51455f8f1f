import type { AccountId, AlertId, EventId, RuleId, SignalId } from "../../schemas/common.ts";
import type { EventKind, SignalServiceEvent } from "../../schemas/event.ts";
import type { ReadingStep } from "../../schemas/reading.ts";
import type { Gap, Intervals } from "../domain/analysis/intervals.ts";
import type { Trend } from "../domain/analysis/trend.ts";
import type { ReadingColumns } from "../domain/reading-columns.ts";
import type { ToldAlert } from "../domain/told-alert.ts";
import type { AlertsQuery } from "./alerts.ts";
import type { Health } from "./worker.ts";

/** The engine cannot be reached or answered with a fault of its own: the same insert may be tried again. */
export class TimeSeriesUnavailableError extends Error {
  override readonly name = "TimeSeriesUnavailableError";
}
/** The engine could not parse the body: nothing of it was stored, and trying again is of no use. */
export class TimeSeriesParseError extends Error {
  override readonly name = "TimeSeriesParseError";
}

export interface EventRow {
  readonly position: number;
  readonly accountId: AccountId;
  readonly signalId: SignalId | null;
  readonly event: SignalServiceEvent;
}

export interface RawReading {
  readonly atMs: number;
  readonly strength: number;
}
export interface ReadingBucketRow {
  readonly atMs: number;
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
}

/** Times are Unix ms, `[fromMs, toMs)`. Oldest first, those of one time weakest first; at most `limit` rows. */
export interface RawReadingsQuery {
  readonly signalId: SignalId;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
  /** Of the readings at `fromMs` itself only those from this strength on: where an earlier page ended. */
  readonly strengthAtFrom?: number;
  /** Readings of `fromMs` itself (and of `strengthAtFrom`, if given) to leave out: how many an earlier page gave. */
  readonly skipAtFrom: number;
  /** The newest `limit` of them instead of the oldest; oldest first all the same. */
  readonly newest?: boolean;
}
/** Times are Unix ms, `[fromMs, toMs)`. */
export interface HoursQuery {
  readonly signalIds: readonly SignalId[];
  readonly fromMs: number;
  readonly toMs: number;
}
export interface ReadingLinesQuery extends HoursQuery {
  /** Lines of a piece at most; not given: 100,000, some 5 MB. */
  readonly pieceLines?: number;
}
/** Readings as the rollup by hour counts them: it may know of some that have expired. */
export interface HoursCounted {
  /** Of every hour that the span touches. */
  readonly touched: number;
  /** Of the hours that lie within it. */
  readonly whole: number;
}
/** Asks for every bucket that the span touches, each whole, counted from 1970 in UTC. */
export interface BucketsQuery {
  readonly signalId: SignalId;
  readonly fromMs: number;
  readonly toMs: number;
  readonly step: Exclude<ReadingStep, "raw">;
  readonly limit: number;
}
/**
 * Asks what can be said of readings without reading them out. Of `minutes`, where readings are too many or expired:
 * every minute that the span touches, whole, its mean as one value with the weight of its readings.
 */
export interface StatisticsQuery {
  readonly signalId: SignalId;
  readonly fromMs: number;
  readonly toMs: number;
  readonly floorDbm: number;
  readonly ceilingDbm: number;
  readonly of: "readings" | "minutes";
}
/** dBm, dB and Unix ms. `stddev` is of all values. Quantiles of many values are estimates. */
export interface ReadingStatistics {
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly stddev: number;
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
  readonly qualityMean: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly trend: Trend | null;
  /** Between neighbouring readings, or minutes that have any. */
  readonly intervals: Intervals | null;
}
export interface GapsQuery extends Pick<StatisticsQuery, "signalId" | "fromMs" | "toMs" | "of"> {
  readonly longerThanMs: number;
  readonly limit: number;
}
export interface EventsQuery {
  readonly accountId: AccountId;
  /** Positions `(after, upTo)`, both ends left out; not given: no bound. */
  readonly after?: number;
  readonly upTo?: number;
  readonly signalIds?: readonly SignalId[];
  readonly kinds?: readonly EventKind[];
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly limit: number;
}

export interface AlertEventsQuery {
  readonly accountId: AccountId;
  readonly signalId: SignalId;
  readonly ruleId: RuleId;
  /** Unix ms, itself included. */
  readonly upToMs: number;
  /** What must not be later: when the event was made, or the newest reading that the signal had then. */
  readonly by: "event" | "reading";
  readonly limit: number;
}

/** What is carried from one time series to another: readings, both rollups, events. */
export const SERIES_TABLES = ["readings", "readings_1m", "readings_1h", "events"] as const;
export type SeriesTable = (typeof SERIES_TABLES)[number];
/** The two columns that a table is ordered by, of one of its rows. */
export type SeriesKey = readonly [string, string];
/** Whole lines of one stretch of a table, and the key of the last; null: nothing comes after. */
export interface SeriesPiece {
  readonly lines: Uint8Array;
  readonly rows: number;
  readonly end: SeriesKey | null;
}

/**
 * A time series as text, piece by piece, for another one of any engine: nothing is rounded, a rollup comes with what
 * retention has left of no reading any more, an event with its position. For a time series that nobody else writes to.
 */
export interface SeriesTransfer {
  /** The names of a table's stretches of time (a month, a quarter, a year), in their order. */
  stretches(table: SeriesTable): Promise<string[]>;
  /** What comes after a key in a stretch: `rows` (not given: some 25 MB), and more where they share the last key. */
  read(table: SeriesTable, stretch: string, after: SeriesKey | null, rows?: number): Promise<SeriesPiece>;
  /**
   * Lines as `read` gave them, once for each token. Readings are added up into both rollups as ever, and minutes into
   * hours: `clear` a rollup before its own lines are inserted.
   */
  insert(table: SeriesTable, token: string, lines: readonly Uint8Array[]): Promise<void>;
  clear(table: "readings_1m" | "readings_1h"): Promise<void>;
  /** Nothing grows too old until the time series is opened with limits of age the next time. */
  keepAll(): Promise<void>;
  /** Readings, as counted by each of their three tables, and events. */
  counts(): Promise<Record<SeriesTable, number>>;
}

/**
 * Readings, their rollups by minute and hour, and events. Two inserts with one `token` leave what one would have left,
 * in the table and in every rollup, also when they run at once and when the engine died in between: for as long as fewer
 * than 20,000 others have come after the first, and on a cluster for 14 days at most. Durable when resolved.
 */
export interface TimeSeries {
  /** `readings`: those of one log range, in its order; at least one. */
  insertReadings(token: string, readings: readonly ReadingColumns[], signal?: AbortSignal): Promise<void>;
  insertEvents(token: string, rows: readonly EventRow[], signal?: AbortSignal): Promise<void>;
  rawReadings(query: RawReadingsQuery): Promise<RawReading[]>;
  /**
   * Raw readings of many signals, as lines that `domain/reading-line.ts` says: one signal after the other in the order
   * of their ids, each oldest first, those of one time weakest first. In pieces of whole lines, read while they are
   * asked for: two of them are held at most. Ends with the reason of `signal`.
   */
  readingLines(query: ReadingLinesQuery, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** How many readings these signals had, together. */
  countHours(query: HoursQuery): Promise<HoursCounted>;
  buckets(query: BucketsQuery): Promise<ReadingBucketRow[]>;
  /** Null where there are no readings. */
  statistics(query: StatisticsQuery): Promise<ReadingStatistics | null>;
  /** Between neighbouring readings, or the starts of minutes that have any: the longest of them, in order of time. */
  gaps(query: GapsQuery): Promise<Gap[]>;
  /** In order of position. */
  events(query: EventsQuery): Promise<EventRow[]>;
  /** Events of one rule's alerts on one signal, the newest first. */
  alertEvents(query: AlertEventsQuery): Promise<EventRow[]>;
  /** Where an event stands; null if it is unknown to this account. */
  eventPosition(accountId: AccountId, id: EventId): Promise<number | null>;
  /** Alerts that have resolved, the newest first, as the events stored have told of them. */
  resolvedAlerts(query: AlertsQuery): Promise<ToldAlert[]>;
  /** Alerts of every account that fire, in pages by id. */
  firingAlerts(after: AlertId | null, limit: number): Promise<ToldAlert[]>;
  /** As the events stored have told of it last; null if none has, to this account. */
  alert(accountId: AccountId, id: AlertId): Promise<ToldAlert | null>;
  /** One past the position of the last event stored; 0 without any. */
  eventsEnd(): Promise<number>;
  /** Of each account that has any, an event behind which none of its others stands below position `upTo`. */
  newestEvents(upTo: number): Promise<Map<AccountId, EventId>>;
  /** Of each of these signals the newest event, and the newest one of each rule that alerted on it. */
  lastEvents(signalIds: readonly SignalId[]): Promise<EventRow[]>;
  /** The greatest sequence of each signal among events at positions below `upTo`. */
  lastSequences(upTo: number): Promise<Map<SignalId, number>>;
  /** Counts that must agree: rows of `readings`, and the sums of counts in both rollups. */
  readingCounts(): Promise<{ raw: number; minute: number; hour: number }>;
  /** Remembers a word, without spaces, that tells this time series from a copy of an earlier time. */
  mark(id: string): Promise<void>;
  isMarked(id: string): Promise<boolean>;
  readonly transfer: SeriesTransfer;
  health(): Health;
  close(): Promise<void>;
}
