import { ENGINE } from "../domain/backoff.ts";
import { retrying } from "../domain/retry.ts";
import { ControlUnavailableError } from "../ports/control-store.ts";
import { LogUnavailableError } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { DeliverMetrics } from "./metrics.ts";

/** Does a task until the engines that it needs are there; rejects with what else fails, or with the signal's reason. */
export type Retrying = <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export const retryingEngines =
  ({ clock, entropy }: Surroundings, metrics: DeliverMetrics, logger: Logger): Retrying =>
  (task, signal) =>
    retrying(task, {
      policy: ENGINE,
      retriable: (error) => error instanceof ControlUnavailableError || error instanceof LogUnavailableError,
      sleep: (ms, aborted) => clock.sleep(ms, aborted),
      random: () => entropy.random(),
      signal,
      failed: (error, attempt) => {
        const name = error instanceof LogUnavailableError ? "log_unavailable" : "control_unavailable";
        metrics.retries.add(1, { reason: name });
        logger.warn({ attempt, error: String(error) }, name);
      },
    });
