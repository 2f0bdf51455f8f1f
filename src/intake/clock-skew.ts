import type { Clock } from "../ports/clock.ts";
import type { Appended } from "../ports/event-log.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { IngestMetrics } from "./metrics.ts";

/** More than this is told of: readings of a quiet signal may then look older than others that were sent before. */
export const SKEW_MAX_MS = 5_000;

export interface ClockSkewOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
}

/**
 * How far the log's clock is from this machine's. A reading without a time of its own gets that of this machine, and is
 * then judged by the log's: behind by more than 5 minutes, the log takes each for one of the future and sets it aside;
 * and where two machines differ, what one has stamped hides what the other stamps until that one has caught up.
 */
export class ClockSkew {
  readonly #options: ClockSkewOptions;
  #isTold = false;

  constructor(options: ClockSkewOptions) {
    this.#options = options;
  }

  /** What an append that began at `beganMs` (Unix ms) and has just been answered tells: at least so much, either way. */
  measure(beganMs: number, appended: readonly Appended[]): void {
    const endedMs = this.#options.clock.now();
    // Kafka does not say when it was for a batch that it had already.
    const first = appended.find(({ appendedAt }) => appendedAt > 0);
    if (first === undefined || endedMs < beganMs) return;
    const { appendedAt } = first;
    this.#tell(appendedAt - Math.min(Math.max(appendedAt, beganMs), endedMs));
  }

  #tell(skewMs: number): void {
    const { logger, metrics } = this.#options;
    metrics.clockSkew.set(skewMs / 1000);
    const isSkewed = Math.abs(skewMs) > SKEW_MAX_MS;
    if (isSkewed && !this.#isTold) logger.warn({ logIsAheadMs: skewMs }, "ingest_clock_skewed");
    this.#isTold = isSkewed;
  }
}
