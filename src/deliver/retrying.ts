import { retrying } from "../domain/retry.ts";
import { untilEngineIsBack } from "../ports/engine-retry.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { DeliverMetrics } from "./metrics.ts";

/** Does a task until the engines that it needs are there; rejects with what else fails, or with the signal's reason. */
export type Retrying = <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export const retryingEngines =
  ({ clock, entropy }: Surroundings, metrics: DeliverMetrics, logger: Logger): Retrying =>
  (task, signal) =>
    retrying(task, untilEngineIsBack({ clock, entropy, logger, metrics }, signal));
