import type { LogRecord } from "../domain/log-record.ts";
import type { Topic } from "../ports/event-log.ts";
import type { TurnSettings } from "./turns.ts";

/** What a record gives to insert. The same record always gives the same, or a range could not be inserted again. */
export interface Extract<Row> {
  readonly rows: readonly Row[];
  /** How many rows of the table that makes, and what they weigh. */
  readonly count: number;
  readonly bytes: number;
}

/** A topic whose records go into the time series. */
export interface Content<Row> {
  readonly topic: Topic;
  readonly turns: TurnSettings;
  readonly batchBytes: number;
  extract(record: LogRecord): Extract<Row>;
  insert(token: string, rows: readonly Row[], signal: AbortSignal): Promise<void>;
}
