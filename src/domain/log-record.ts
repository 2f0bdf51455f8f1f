/** What a record of topic `readings` is, by its header `kind`. A record without headers is a block of readings. */
export const RECORD_KIND = "kind";
export type ReadingsKind = "change" | "tick" | "probe";

/** A record as it stands in the log. `appendedAt` is the log's own clock, Unix ms, never falling within a partition. */
export interface LogRecord {
  readonly partition: number;
  readonly offset: number;
  readonly appendedAt: number;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Uint8Array;
}
