import { ClickHouseError } from "@clickhouse/client";
import { TimeSeriesParseError, TimeSeriesUnavailableError } from "../../ports/time-series.ts";
import { wordsOf } from "./fault-words.ts";
import { saidOf } from "./what-failed.ts";

/** What ClickHouse answers to a body that it cannot read (src/Common/ErrorCodes.cpp). */
const PARSE_CODES = new Set([
  "6", // CANNOT_PARSE_TEXT
  "25", // CANNOT_PARSE_ESCAPE_SEQUENCE
  "26", // CANNOT_PARSE_QUOTED_STRING
  "27", // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  "33", // CANNOT_READ_ALL_DATA
  "38", // CANNOT_PARSE_DATE
  "41", // CANNOT_PARSE_DATETIME
  "69", // ARGUMENT_OUT_OF_BOUND
  "72", // CANNOT_PARSE_NUMBER
  "117", // INCORRECT_DATA
  "131", // TOO_LARGE_STRING_SIZE
]);
export interface Fault {
  /** For metrics. */
  readonly name: string;
  readonly error: TimeSeriesParseError | TimeSeriesUnavailableError;
}

/** The port's error for what the client threw. Rows of the body are not repeated: they may be a customer's. */
export const faultOf = (cause: unknown): Fault => {
  if (cause instanceof ClickHouseError && PARSE_CODES.has(cause.code)) {
    const error = new TimeSeriesParseError(`code ${cause.code} (${cause.type ?? "?"})`, { cause });
    return { name: "unparsable", error };
  }
  const { name, words } = wordsOf(cause);
  const message = words === null ? saidOf(cause) : `${words} (${saidOf(cause)})`;
  return { name, error: new TimeSeriesUnavailableError(message, { cause }) };
};
