/** How the record worker gathers what it inserts. Times in milliseconds. */
export interface RecordSettings {
  /** Whether records that nobody needs any more are deleted from the log. */
  readonly trim: boolean;
  /** Readings are inserted when the oldest has waited this long, or when one partition has this many bytes of them. */
  readonly readingsLingerMs: number;
  /** Partitions insert so far apart, but make no reading wait longer than this. */
  readonly readingsApartMs: number;
  readonly readingsLingerMaxMs: number;
  readonly readingsBatchBytes: number;
  /** Events are looked at soon: after a quiet while they are inserted when the oldest has waited this long. */
  readonly eventsLingerMs: number;
  /** While they keep coming, inserts of events are so far apart. */
  readonly eventsAgainMs: number;
  /** What all partitions together may hold; the log keeps the rest. */
  readonly bufferBytes: number;
  readonly trimEveryMs: number;
  /** While the log is full and readings wait for room. */
  readonly trimWhenFullEveryMs: number;
  readonly deadLettersKept: number;
}

const MIB = 1024 * 1024;
export const RECORD_DEFAULTS: RecordSettings = {
  trim: true,
  readingsLingerMs: 1_000,
  readingsApartMs: 250,
  readingsLingerMaxMs: 3_000,
  readingsBatchBytes: 8 * MIB,
  eventsLingerMs: 200,
  eventsAgainMs: 1_000,
  bufferBytes: 64 * MIB,
  trimEveryMs: 10_000,
  trimWhenFullEveryMs: 1_000,
  deadLettersKept: 10_000,
};
