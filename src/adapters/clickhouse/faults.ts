import { ClickHouseError } from "@clickhouse/client";
import { TimeSeriesParseError, TimeSeriesUnavailableError } from "../../ports/time-series.ts";

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

/** No answer came (a system error of the connection, or the client's deadline): the request may have been carried out. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof Error &&
  !(error instanceof ClickHouseError) &&
  ("code" in error || error.message === "Timeout error.");

/** The port's error for what the client threw. Rows of the body are not repeated: they may be a customer's. */
export const faultOf = (error: unknown): TimeSeriesParseError | TimeSeriesUnavailableError => {
  if (error instanceof ClickHouseError && PARSE_CODES.has(error.code)) {
    return new TimeSeriesParseError(`code ${error.code} (${error.type ?? "?"})`, { cause: error });
  }
  const text = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  const code = error instanceof ClickHouseError ? `code ${error.code}: ` : "";
  return new TimeSeriesUnavailableError(`${code}${text.slice(0, 300)}`, { cause: error });
};
