/** What a record of topic `readings` is, by its header `kind`; see also `isBlock`. */
export const RECORD_KIND = "kind";
export type ReadingsKind = "change" | "tick" | "probe" | "pending";
/** The kind of what stands in any topic in place of records that the log cannot give; its value says why, in words. */
export const UNREADABLE = "unreadable";

/** A record as it stands in the log. `appendedAt` is the log's own clock, Unix ms, never falling within a partition. */
export interface LogRecord {
  readonly partition: number;
  readonly offset: number;
  readonly appendedAt: number;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Uint8Array;
}

/**
 * Whether a record of topic `readings` is a block of readings: one without header `kind`, whatever other headers it
 * has. Anybody may produce one, and a client that traces adds headers of its own.
 */
export const isBlock = ({ headers }: LogRecord): boolean => headers[RECORD_KIND] === undefined;
