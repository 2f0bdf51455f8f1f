import type { FastifyError } from "fastify";
import { InvalidCursorError } from "../domain/cursor.ts";
import { IntakeRefusedError } from "../intake/prompt-intake.ts";
import { ControlUnavailableError } from "../ports/control-store.ts";
import { LogFullError, LogUnavailableError } from "../ports/event-log.ts";
import { TooManyPasswordsError } from "../ports/passwords.ts";
import { TimeSeriesUnavailableError } from "../ports/time-series.ts";
import { ProblemError, validationFailed } from "./problem.ts";

const INTERNAL = "the service failed; its log has more under the request id";

/** Room in the log comes by the second. */
const RETRY_AFTER_SECONDS = "2";
const fullness = (error: IntakeRefusedError | LogFullError): string =>
  error instanceof IntakeRefusedError ? error.message : "the log is at its limit (LOG_MAX_BYTES)";

const isFastifyError = (error: unknown): error is FastifyError =>
  error instanceof Error &&
  "code" in error &&
  typeof error.code === "string" &&
  error.code.startsWith("FST_");

const ofFastify = (error: FastifyError): ProblemError => {
  const because = { cause: error };
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new ProblemError("payload_too_large", "the body exceeds the limit of this endpoint", because);
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new ProblemError("unsupported_media_type", "send application/json", because);
    case "FST_ERR_CTP_INVALID_JSON_BODY":
      return new ProblemError("validation_failed", "the body is not valid JSON", because);
    default:
      if (error.statusCode === undefined || error.statusCode >= 500)
        return new ProblemError("internal", INTERNAL, because);
      return new ProblemError("validation_failed", error.message, because);
  }
};

/** What a caller is told of an error: by its class, so that no message of an engine ever reaches an answer. */
export const problemOf = (error: unknown): ProblemError => {
  if (error instanceof ProblemError) return error;
  if (error instanceof InvalidCursorError)
    return validationFailed([{ path: "cursor", message: "is not a cursor of this list" }]);
  if (error instanceof TooManyPasswordsError)
    return new ProblemError("rate_limited", "too many people sign in at this moment; try again soon", {
      headers: { "Retry-After": RETRY_AFTER_SECONDS },
    });
  if (error instanceof TimeSeriesUnavailableError)
    return new ProblemError(
      "storage_unavailable",
      "the time series engine is not available; try again soon",
      {
        cause: error,
      },
    );
  if (error instanceof ControlUnavailableError)
    return new ProblemError(
      "storage_unavailable",
      "control data is not available; try again soon, and look first whether a change was made all the same, or send an Idempotency-Key with it",
      { cause: error },
    );
  if (error instanceof IntakeRefusedError || error instanceof LogFullError)
    return new ProblemError("pipeline_unavailable", `no readings are taken now: ${fullness(error)}`, {
      headers: { "Retry-After": RETRY_AFTER_SECONDS },
      cause: error,
    });
  if (error instanceof LogUnavailableError)
    return new ProblemError("pipeline_unavailable", "the event log is not available; try again soon", {
      cause: error,
    });
  if (isFastifyError(error)) return ofFastify(error);
  return new ProblemError("internal", INTERNAL, { cause: error });
};
