import { ENGINE } from "../domain/backoff.ts";
import type { RetryOptions } from "../domain/retry.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import { type ControlStore, ControlUnavailableError } from "../ports/control-store.ts";
import { type EventLog, LogUnavailableError } from "../ports/event-log.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { EvaluateMetrics } from "./metrics.ts";
import type { EvaluateSettings } from "./settings.ts";

/** What the parts of the worker share. */
export interface EvaluateContext {
  readonly log: EventLog;
  readonly control: ControlStore;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: EvaluateMetrics;
  readonly settings: EvaluateSettings;
}

/** An engine that is away is waited for, however long; everything else is a fault. */
export const untilEngineIsBack = (
  { clock, entropy, logger, metrics }: EvaluateContext,
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
