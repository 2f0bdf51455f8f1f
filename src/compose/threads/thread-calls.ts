import type { LogFacts } from "../../adapters/threads/log-host.ts";
import type { Config } from "../../config/config.ts";
import type { Metrics } from "../../ports/telemetry.ts";
import type { Health } from "../../ports/worker.ts";
import type { PipelineWorker } from "../pipeline.ts";

/** What a worker is given at its start. */
export interface ThreadData {
  readonly name: PipelineWorker;
  /** Without what is read from files for others: it is copied. */
  readonly config: Omit<Config, "declared" | "tls">;
  readonly log: LogFacts;
  /** At which position the log's events begin: see succession.ts. */
  readonly eventsBase: number;
  readonly seriesSocket: string | null;
}

/** What the main thread asks of a worker's thread. */
export interface ThreadCalls {
  /** Resolves when the worker runs; rejects with the reason why it cannot. */
  start(data: ThreadData): Promise<void>;
  /** Drains the worker and closes the engines that are the thread's own. */
  stop(): Promise<void>;
  metricValues: Metrics["values"];
  metricTotal: Metrics["total"];
}

/** What a worker's thread tells the main thread. */
export interface MainCalls {
  /** Twice a second: a thread that stands still is noticed. */
  health(health: readonly Health[]): void;
}

export const THREAD_CHANNEL = "thread";
