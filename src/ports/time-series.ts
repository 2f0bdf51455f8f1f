import type { AccountId, EventId, SignalId } from "../../schemas/common.ts";
import type { EventKind, SignalServiceEvent } from "../../schemas/event.ts";
import type { ReadingStep } from "../../schemas/reading.ts";
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

/** Times are Unix ms, `[fromMs, toMs)`. Oldest first; at most `limit` rows. */
export interface RawReadingsQuery {
  readonly signalId: SignalId;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
  /** Readings of `fromMs` itself to leave out: how many of them an earlier page gave. */
  readonly skipAtFrom: number;
}
/** Asks for every bucket that the span touches, each whole, counted from 1970 in UTC. */
export interface BucketsQuery {
  readonly signalId: SignalId;
  readonly fromMs: number;
  readonly toMs: number;
  readonly step: Exclude<ReadingStep, "raw">;
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

/**
 * Readings, their rollups by minute and hour, and events. Two inserts with one `token` leave what one would have left,
 * in the table and in every rollup, also when they run at once, when the engine died in between, for at least 7 days.
 * Durable when resolved.
 */
export interface TimeSeries {
  /** `body`: reading lines as `domain/reading-line.ts` says, of one log range; not copied before it resolves. */
  insertReadings(token: string, body: readonly Uint8Array[], signal?: AbortSignal): Promise<void>;
  insertEvents(token: string, rows: readonly EventRow[], signal?: AbortSignal): Promise<void>;
  rawReadings(query: RawReadingsQuery): Promise<RawReading[]>;
  buckets(query: BucketsQuery): Promise<ReadingBucketRow[]>;
  /** In order of position. */
  events(query: EventsQuery): Promise<EventRow[]>;
  /** Where an event stands; null if it is unknown to this account. */
  eventPosition(accountId: AccountId, id: EventId): Promise<number | null>;
  /** One past the position of the last event stored; 0 without any. */
  eventsEnd(): Promise<number>;
  /** Of each of these signals the newest event, and the newest one of each rule that alerted on it. */
  lastEvents(signalIds: readonly SignalId[]): Promise<EventRow[]>;
  /** The greatest sequence of each signal among events at positions below `upTo`. */
  lastSequences(upTo: number): Promise<Map<SignalId, number>>;
  /** Counts that must agree: rows of `readings`, and the sums of counts in both rollups. */
  readingCounts(): Promise<{ raw: number; minute: number; hour: number }>;
  /** Remembers a word, without spaces, that tells this time series from a copy of an earlier time. */
  mark(id: string): Promise<void>;
  isMarked(id: string): Promise<boolean>;
  health(): Health;
  close(): Promise<void>;
}
