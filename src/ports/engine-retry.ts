import { ENGINE } from "../domain/backoff.ts";
import type { RetryOptions } from "../domain/retry.ts";
import type { Clock, Entropy } from "./clock.ts";
import { ControlUnavailableError } from "./control-store.ts";
import { LogUnavailableError } from "./event-log.ts";
import type { Counter, Logger } from "./telemetry.ts";

interface Waiting {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  /** `retries`: by `reason`, which is the name that the log line has, too. */
  readonly metrics: { readonly retries: Counter };
}

/** The log or control data that is away is waited for, however long; everything else is a fault, and thrown. */
export const untilEngineIsBack = (
  { clock, entropy, logger, metrics }: Waiting,
  signal: AbortSignal,
): RetryOptions => ({
  policy: ENGINE,
  retriable: (error) => error instanceof LogUnavailableError || error instanceof ControlUnavailableError,
  sleep: (ms, aborted) => clock.sleep(ms, aborted),
  random: () => entropy.random(),
  signal,
  failed: (error, attempt) => {
    const name = error instanceof LogUnavailableError ? "log_unavailable" : "control_unavailable";
    metrics.retries.add(1, { reason: name });
    logger.warn({ attempt, error: String(error) }, name);
  },
});
